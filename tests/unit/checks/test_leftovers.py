import pytest

from pr_review.checks import leftovers
from pr_review.checks.source import Source

FOUND = [
    ("a.py", "breakpoint()", "debugger-left"),
    ("a.py", "    import pdb; pdb.set_trace()", "debugger-left"),
    ("a.py", "if x: ipdb.set_trace(context=5)", "debugger-left"),
    ("a.js", "debugger;", "debugger-left"),
    ("a.ts", "  if (x) { debugger }", "debugger-left"),
    ("a.tsx", "debugger", "debugger-left"),
    ("a.js", "cy.pause()", "debugger-left"),
    ("a.js", "await page.pause();", "debugger-left"),
    ("a.rb", "  binding.pry", "debugger-left"),
    ("a.rb", "binding.irb if x", "debugger-left"),
    ("a.rake", "byebug", "debugger-left"),
    ("a.go", "runtime.Breakpoint()", "debugger-left"),
    ("a.php", "xdebug_break();", "debugger-left"),
    ("a.cs", "System.Diagnostics.Debugger.Break();", "debugger-left"),
    ("a.exs", "require IEx; IEx.pry", "debugger-left"),
    ("a.js", "it.only('x', f)", "focused-test"),
    ("a.js", "describe.only(`x`, f)", "focused-test"),
    ("a.ts", "test.only.each([1])('x', f)", "focused-test"),
    ("a.ts", "test.describe.only('x', f)", "focused-test"),
    ("a.ts", "test.describe.serial.only('x', f)", "focused-test"),
    ("a.ts", "it.only<Context>('x', f)", "focused-test"),
    ("a.js", "fdescribe('x', f)", "focused-test"),
    ("a.js", 'fit("x", f)', "focused-test"),
    ("a_spec.rb", "fit 'x' do", "focused-test"),
    ("a_spec.rb", 'fdescribe("x") {', "focused-test"),
    ("a_test.go", 'FIt("x", func() {', "focused-test"),
    ("a.rs", "let x = dbg!(y);", "debug-print-left"),
]  # fmt: skip

CLEAN = [
    ("a.py", "# breakpoint()"),
    ("a.py", "'''\nbreakpoint()\n'''"),
    ("a.py", "x = 'pdb.set_trace()'"),
    ("a.py", "self.breakpoint()"),
    ("a.py", "set_breakpoint()"),
    ("a.py", "breakpoint = 1"),
    ("a.md", "debugger;"),
    ("a.txt", "breakpoint()"),
    ("a.js", "// debugger;"),
    ("a.js", "/* it.only( */"),
    ("a.js", "const debuggerUrl = x;"),
    ("a.js", "x.debugger;"),
    ("a.js", "debugger = 1;"),
    ("a.js", "it('only looks', f)"),
    ("a.js", 'describe("it.only(", f)'),
    ("a.js", "query.only('name')"),
    ("a.js", "commit.only('x')"),
    ("a.js", "model.fit('x')"),
    ("a.js", "fit(x, y)"),
    ("a.js", "benefit('x')"),
    ("a.rb", "# binding.pry"),
    ("a.rb", "binding.local_variables"),
    ("a.rb", "byebug = 1"),
    ("a.rb", "puts 'binding.pry'"),
    ("a.go", 'x.FIt("x")'),
    ("a.rs", "// dbg!(x)"),
    ("a.rs", 'println!("dbg!(x)")'),
    ("a.rs", "my_dbg!(x)"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "rule"), FOUND)
def test_left_overs_are_found_where_they_stand(make_source, path, text, rule):
    hits = list(leftovers.find(make_source(path, f"\n{text}\n")))
    assert [(hit.line, hit.rule) for hit in hits] == [(2, rule)]
    assert hits[0].evidence == text.strip()


@pytest.mark.parametrize(("path", "text"), CLEAN)
def test_what_only_looks_like_a_left_over_is_not_reported(make_source, path, text):
    assert list(leftovers.find(make_source(path, text))) == []


def test_an_old_left_over_is_not_reported(make_source):
    source = make_source("a.py", "breakpoint()\nx\nbreakpoint()", added=[2, 3])
    assert [hit.line for hit in leftovers.find(source)] == [3]


def test_two_on_a_line_are_one_hit(make_source):
    assert len(list(leftovers.find(make_source("a.py", "breakpoint(); breakpoint()")))) == 1


def test_without_the_text_nothing_can_be_told_from_a_comment():
    assert list(leftovers.find(Source("a.py", None, {1: "breakpoint()"}))) == []


def test_every_pattern_has_a_case():
    for entry in leftovers.TABLE:
        assert any(entry.pattern.search(text) for _, text, rule in FOUND if rule == entry.rule.code)
