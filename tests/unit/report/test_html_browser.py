"""review.html in a real browser: nothing is loaded, everything can be read, at any width and in both schemes.

Needs Chromium (Debian: ``apt-get install chromium``). With ``PR_REVIEW_PICTURES=folder`` the pages are drawn
there, to be looked at.
"""

import os
from pathlib import Path

import pytest
from tests.loopback.chromium import PROGRAM, Chromium

from pr_review.report.html import render

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no chromium on PATH")

WIDTHS = [1280, 390]
SCHEMES = ["light", "dark"]
PAGES = ["rich", "hostile", "incomplete"]

# Text whose colour and first opaque background differ by less than 4.5 to 1.
LOW_CONTRAST = """
(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const opaque = (colour) => channels(colour)[3] !== 0;
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (opaque(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim()) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) low.push(walker.currentNode.data);
  }
  return low;
})()
"""
TOO_WIDE = """
[...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
  .map((element) => element.outerHTML.slice(0, 80))
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as chromium:
        yield chromium


@pytest.fixture
def show(browser, outcomes, tmp_path):
    """``show(name, width, scheme)``: the browser with the page of an outcome open."""

    def open_page(name: str, width: int = 1280, scheme: str = "light") -> Chromium:
        page = tmp_path / "review.html"
        page.write_text(render(getattr(outcomes, name)), encoding="utf-8")
        browser.open(page, width=width, scheme=scheme)
        return browser

    return open_page


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_page_reads_well(show, name, width, scheme):
    """No sideways scrolling, enough contrast everywhere, in the scheme that the reader prefers."""
    browser = show(name, width, scheme)
    browser.evaluate("document.querySelectorAll('details').forEach((details) => details.open = true)")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(TOO_WIDE) == []
    assert browser.evaluate(LOW_CONTRAST) == []
    background = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]
    if folder := os.environ.get("PR_REVIEW_PICTURES"):
        browser.picture(Path(folder) / f"{name}-{width}-{scheme}.png")


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_loaded_and_nothing_is_refused(show, name):
    """One request, for the page itself; the policy had nothing to stop."""
    browser = show(name)
    requests = [event for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
    assert [event["params"]["type"] for event in requests] == ["Document"]
    assert [event for event in browser.events if event.get("method") == "Log.entryAdded"] == []


def test_policy_stops_what_should_never_be_there(browser, outcomes, tmp_path):
    """A guard of the guard: scripts, styles and pictures that got into the page do nothing."""
    evil = (
        '<script>document.title = "owned"</script><img src="x.png" onerror="document.title = 1">'
        "<style>body { background: red !important }</style>"
        '<p id="evil" style="color: red">x</p>'
    )
    page = tmp_path / "evil.html"
    page.write_text(render(outcomes.rich).replace("</main>", f"{evil}</main>"), encoding="utf-8")
    (tmp_path / "x.png").write_bytes(b"")
    browser.open(page, width=1280, scheme="light")
    assert browser.evaluate("document.title").startswith("pr-review: 5 findings")
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.evaluate("getComputedStyle(evil).color") == "rgb(31, 35, 40)"


def test_keyboard_reaches_the_review(show):
    """The first stop skips the header and is visible; every stop shows its focus."""
    browser = show("rich")
    browser.press("Tab", 9)
    assert browser.evaluate("document.activeElement.textContent") == "Skip to the review"
    assert browser.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    browser.press("Tab", 9)
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    reached = browser.evaluate("document.querySelectorAll('a, summary').length")
    for _ in range(reached - 2):
        browser.press("Tab", 9)
    assert browser.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_screen_reader_hears_a_structure(show):
    """Landmarks, headings and the name of each finding, as the accessibility tree has them."""
    tree = show("rich").call("Accessibility.getFullAXTree")["nodes"]
    seen = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if "role" in node]
    roles = [role for role, _ in seen]
    assert {"banner", "navigation", "main", "region", "article", "table", "list"} <= set(roles)
    assert ("navigation", "Contents") in seen
    [first] = [name for role, name in seen if role == "article" and "shell" in name]
    assert " ".join(first.split()) == "critical 1. User input reaches the shell in export_invoice"
    assert ("figcaption" in roles) or ("Figcaption" in roles)
