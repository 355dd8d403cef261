"""A word of a test framework is another function where the file defines it itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import assert_linear

from pr_review.checks import leftovers
from pr_review.checks.bindings import Bindings
from pr_review.checks.languages import JAVASCRIPT, views
from pr_review.checks.source import Source

CALL = "fit('cover', box);"
OWN = [
    ("a.js", f"import {{ fit }} from './geometry';\n{CALL}"),
    ("a.js", f"import {{ scale, fitInto as fit }} from './geometry';\n{CALL}"),
    ("a.js", f"import fit, {{ scale }} from 'geometry';\n{CALL}"),
    ("a.mjs", f"import * as fit from 'geometry';\n{CALL}"),
    ("a.ts", f"import {{\n  scale,\n  fit,\n}} from './geometry';\n{CALL}"),
    ("a.js", f"const fit = (mode, box) => box;\n{CALL}"),
    ("a.js", f"let fit;\nfit = scale;\n{CALL}"),
    ("a.js", f"var {{ scale, fit }} = require('geometry');\n{CALL}"),
    ("a.js", f"const {{ into: fit }} = geometry;\n{CALL}"),
    ("a.js", f"const fit = require('geometry');\n{CALL}"),
    ("a.js", f"{CALL}\nfunction fit(mode, box) {{ return box; }}"),
    ("a.js", f"async function * fit(mode) {{}}\n{CALL}"),
    ("a.ts", "class context { static only(x) {} }\ncontext.only('x');"),
    ("a.ts", "const suite: Suite = rooms[0];\nsuite.only('sea view');"),
    ("a.ts", "function book(suite: Suite) {\n  return suite.only('sea view');\n}"),
    ("a.ts", "rooms.map((suite) => {\n  suite.only('sea view');\n});"),
    ("a.ts", "rooms.map(suite => suite.only('sea view'));"),
    ("a.ts", "for (const suite of rooms) {\n  suite.only('sea view');\n}"),
    ("a.js", "class Hotel {\n  book(suite, day) {\n    suite.only('sea view');\n  }\n}"),
    ("a.js", "const cy = cytoscape({});\ncy.pause();"),
    ("page.js", "page.pause();"),
    ("a.vue", "<script>\nimport { fit } from './geometry'\nfit('cover', box)\n</script>"),
    ("a.rb", "def fit(mode, box)\n  box\nend\nfit 'cover', box"),
    ("a.rb", "fit = method(:scale)\nfit 'cover'"),
    ("a.go", 'func FIt(name string, f func()) {}\nfunc main() { FIt("x", nil) }'),
    ("a.go", 'func main() {\n\tFEntry := load\n\tFEntry("x")\n}'),
    ("a.rs", "macro_rules! dbg { () => {} }\nfn f() { dbg!(1); }"),
]  # fmt: skip

FRAMEWORK = [
    ("a.js", "fit('works', () => {});"),
    ("a.js", "import { fit } from '@jest/globals';\nfit('works', () => {});"),
    ("a.ts", "import { describe, it } from 'vitest';\nit.only('works', () => {});"),
    ("a.js", "const { test } = require('@playwright/test');\ntest.only('works', f);"),
    ("a.js", "const { it } = require('node:test');\nit.only('works', f);"),
    ("a.js", "import test from 'ava';\ntest.only('works', f);"),
    ("a.js", "import { it as fit } from './geometry';\nit.only('works', f);"),
    ("a.js", "import { fit as scale } from './geometry';\nfit('works', f);"),
    ("a.js", "const { fit: scale } = geometry;\nfit('works', f);"),
    ("a.js", "function helper() {\n  const fit = scale;\n  return fit;\n}\nfit('works', f);"),
    ("a.js", "cases.forEach((test) => {\n  use(test);\n});\ntest.only('works', f);"),
    ("a.js", "for (const test of cases) {\n  use(test);\n}\ntest.only('works', f);"),
    ("a.js", "let x\ntest.only('works', f)\n"),
    ("a.js", "const x = 1\ntest.only('works', f)\n"),
    ("a.js", "// function fit() {}\nfit('works', f);"),
    ("a.js", "const text = 'function fit() {}';\nfit('works', f);"),
    ("a.js", "scale.fit = 1;\nfit('works', f);"),
    ("a.js", "if (fit === 1) {}\nfit('works', f);"),
    ("login.spec.ts", "import { test } from './fixtures';\ntest.only('works', async ({ page }) => {});"),
    ("login.spec.ts", "const test = base.extend({});\ntest.only('works', async ({ page }) => {});"),
    ("e2e/login.ts", "import { it } from '../support';\nit.only('works', function () {});"),
    ("a.js", "await page.pause();"),
    ("a.js", "import { chromium } from 'playwright';\npage.pause();"),
    ("a.js", "cy.pause()"),
    ("a_spec.rb", "def fitting(x)\nend\nfit 'works' do"),
    ("a_test.go", 'func TestFIt() {}\nvar _ = FIt("works", func() {})'),
]  # fmt: skip


def found(path, text):
    lines = dict(enumerate(text.split("\n"), start=1))
    return [hit.rule for hit in leftovers.find(Source(path, text, lines))]


@pytest.mark.parametrize(("path", "text"), OWN)
def test_a_function_of_the_file_s_own_is_no_left_over(path, text):
    assert found(path, text) == []


@pytest.mark.parametrize(("path", "text"), FRAMEWORK)
def test_a_function_of_a_framework_is_one(path, text):
    assert len(found(path, text)) == 1


NAMES = st.from_regex(r"[a-z]{2,6}", fullmatch=True)


@given(
    NAMES, st.sampled_from(["const {} = 1;", "function {}() {{}}", "import {{ {} }} from 'x';", "let {};"])
)
def test_a_declaration_binds_its_name_and_holds_in_its_block_only(name, form):
    declared = form.format(name)
    text = f"{{\n{declared}\n}}\n"
    bindings = Bindings(views(text, JAVASCRIPT))
    assert bindings.binds(name, text.index(declared) + len(declared))
    assert not bindings.binds(f"{name}x", text.index(declared))
    if not declared.startswith("import"):  # an import stands at the top
        assert not bindings.binds(name, len(text))


@given(st.text(alphabet="{}()=>;,'\" \nabfit:[]", max_size=60))
def test_any_text_has_some_bindings(text):
    Bindings(views(text, JAVASCRIPT)).binds("fit", 0)


@pytest.mark.parametrize(
    "piece",
    [
        "import ",
        "const ",
        "(",
        "(a",
        ") ",
        "{",
        "}",
        "a=>",
        "a = ",
        "function ",
        "for (",
        "import {a,",
        "const {a",
    ],
)
def test_a_hostile_file_takes_linear_time(piece):
    def work(text):
        found("a.js", f"{text}\nfit('x')")

    assert_linear(work, piece)
