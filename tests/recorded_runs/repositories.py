"""The repositories that the scenarios review."""

from pathlib import Path

from tests.recorded_runs.scenario import Files

CONFIG = ".github/pr-review.yml"
STORED = (Path(__file__).parent / "stored_review.json").read_text(encoding="utf-8")
EARLIER = (Path(__file__).parent / "earlier_review.json").read_text(encoding="utf-8")

_RULES = """\
def net(rows):
    if not rows:
        return None
    return total(rows)


def gross(rows):
    if not rows:
        return None
    return total(rows) * (100 + TAX) / 100
"""
ORDERS_BASE = f'''\
"""Prices of an order."""

TAX = 19


def total(rows):
    return sum(rows)


{_RULES}

def rebate(rows):
    if len(rows) > 10:
        return total(rows) / 20
    return 0


def rounded(value):
    return round(value, 2)
'''
ORDERS_HEAD = f'''\
"""Prices of an order."""

TAX = 19


def total(rows):
    return sum(rows) / len(rows)


{_RULES}

def rounded(value):
    return round(value, 3)


def collect(items=[]):
    if not items:
        return None
    return items


def load(path):
    try:
        return open(path).read()
    except:
        return None
'''
BASE = {
    "README.md": "# Orders\n",
    "package-lock.json": '{"lockfileVersion": 2}\n',
    "scripts/old.sh": "".join(f"echo {number}\n" for number in range(20)),
    "src/orders.py": ORDERS_BASE,
    "src/report.py": '"""Prints orders."""\n\n\ndef show(order):\n    print(order)\n',
}
HEAD = {
    "README.md": "# Orders\n\nPrices and totals.\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "package-lock.json": '{"lockfileVersion": 3}\n',
    "scripts/new.sh": "".join(f"echo {number}\n" for number in range(21)),
    "scripts/old.sh": None,
    "src/orders.py": ORDERS_HEAD,
}

ORDERS = Files(BASE, HEAD)
ONLY_A_LOCK_FILE = Files(BASE, {"package-lock.json": '{"lockfileVersion": 3}\n'})
UNCHANGED = Files(BASE, {})
LARGE = Files(
    {"README.md": "# Values\n"},
    {
        f"f{number}.py": "".join(f"value_{number}_{line} = '{'x' * 60}'\n" for line in range(700))
        for number in range(4)
    },
)
VERY_LARGE = Files(BASE, {"big.py": "".join(f"value_{number} = {number}\n" for number in range(20_000))})
MIDDLING = Files(BASE, {"big.py": "".join(f"value_{number} = {number}\n" for number in range(4_000))})
HOSTILE_NAME = Files(BASE, {"::error::x ##[group]y.py": "x = 1\n"})
SECRET = "AKIA" + "Z7Q2M4X9K1P8R3T6"  # of the shape of a key, and nobody's
WITH_A_SECRET = Files(BASE, {"settings.py": f'ACCESS = "{SECRET}"\nREGION = "eu"\n'})
LINKED_OUTPUT = Files(BASE, HEAD, links={"pr-review-report": "src"})
TRACKED_BASELINE = Files(BASE, HEAD | {"baseline/review.json": "{}\n"})


def configured(text: str, in_head: str | None = None) -> Files:
    """``ORDERS`` with a configuration on the base branch, and perhaps another one in the pull request."""
    base = BASE | {CONFIG: text} if text else BASE
    base = base | {"AGENTS.md": "Money is in cents.\n"}
    return Files(base, HEAD | ({CONFIG: in_head} if in_head is not None else {}))
