"""Draws a job summary as GitHub shows it: ``python examples/picture.py summary.md summary.png``.

It makes the README's picture. It needs the development packages (markdown-it-py) and a Chromium on PATH
(Debian: ``apt-get install chromium fonts-noto-color-emoji``). It loads nothing from the network.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

WIDTH = 980
SCALE = 0.8
TIMEOUT_SECONDS = 120
STYLE = """
body { box-sizing: border-box; margin: 0; padding: 24px 32px; color: #1f2328; background: #fff;
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif; }
h2 { font-size: 21px; border-bottom: 1px solid #d1d9e0b3; padding-bottom: 6px; margin: 0 0 16px; }
h3 { font-size: 17.5px; margin: 24px 0 12px; }
p, blockquote, ul, table, pre, details { margin: 0 0 16px; }
a { color: #0969da; text-decoration: none; }
blockquote { padding: 0 1em; color: #59636e; border-left: 4px solid #d1d9e0; }
blockquote > :last-child { margin-bottom: 0; }
ul { padding-left: 28px; }
code { font: 85% ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace; padding: .2em .4em;
  background: #818b981f; border-radius: 6px; white-space: break-spaces; }
pre { padding: 14px; overflow: auto; background: #f6f8fa; border-radius: 6px; line-height: 1.45; }
pre code { padding: 0; background: none; white-space: pre; }
table { border-spacing: 0; border-collapse: collapse; display: block; width: max-content; max-width: 100%;
  overflow: auto; }
th, td { padding: 6px 13px; border: 1px solid #d1d9e0; }
tr:nth-child(2n) td { background: #f6f8fa; }
hr { height: 4px; border: 0; background: #d1d9e0; margin: 24px 0; }
summary { cursor: pointer; }
.language-diff .removed { color: #82071e; background: #ffebe9; }
.language-diff .added { color: #116329; background: #dafbe1; }
"""
# The page reports its height, so that the picture ends where the text ends.
MEASURE = "<script>document.title = 'height:' + document.documentElement.scrollHeight</script>"


def page(markdown: str, *, unfold: int) -> str:
    """The summary as a web page that ends after its first ``unfold`` folded parts, which are open."""
    body = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(markdown)
    if unfold and "</details>" in body:
        *shown, _ = body.split("</details>")[: unfold + 1]
        body = "</details>".join([*shown, ""]).replace("<details>", "<details open>")
    body = re.sub(r'(?s)(?<=language-diff">).*?(?=</code>)', lambda match: coloured(match[0]), body)
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><body>{body}{MEASURE}"


def coloured(diff: str) -> str:
    kinds = {"+": "added", "-": "removed"}
    lines = diff.splitlines()
    return "\n".join(f'<span class="{kinds.get(line[:1], "")}">{line}</span>' for line in lines)


def chromium(profile: Path, *arguments: str) -> str:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("No Chromium on PATH. Install it, for example: apt-get install chromium")
    fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
    done = subprocess.run(
        [program, *fixed, *arguments], capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS
    )
    return done.stdout


def draw(markdown: str, png: Path, *, width: int = WIDTH, unfold: int = 1, scale: float = SCALE) -> None:
    """Write the picture. Its height is the page's height times ``scale``."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "page.html")
        source.write_text(page(markdown, unfold=unfold), encoding="utf-8")
        address, profile = source.as_uri(), Path(scratch, "profile")
        shown = chromium(profile, f"--window-size={width},600", "--dump-dom", address)
        height = re.search(r"<title>height:(\d+)", shown)
        size = f"--window-size={width},{height[1] if height else 2000}"
        chromium(
            profile, size, f"--force-device-scale-factor={scale}", f"--screenshot={png.resolve()}", address
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("summary", type=Path, help="a summary.md that pr-review wrote")
    parser.add_argument("png", type=Path, help="the picture to write")
    parser.add_argument("--width", type=int, default=WIDTH, help="pixels (default %(default)s)")
    parser.add_argument(
        "--unfold", type=int, default=1, help="parts to open, and to end after; 0 for all of it (default 1)"
    )
    parser.add_argument("--scale", type=float, default=SCALE, help="of the picture (default %(default)s)")
    options = parser.parse_args()
    markdown = options.summary.read_text(encoding="utf-8")
    draw(markdown, options.png, width=options.width, unfold=options.unfold, scale=options.scale)


if __name__ == "__main__":
    main()
