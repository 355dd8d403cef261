"""Debugger calls, debug prints and focused tests that were left in the code."""

import re
from collections.abc import Iterator

from pr_review.checks import patterns
from pr_review.checks.hit import Hit, Rule
from pr_review.checks.languages import CSHARP, ELIXIR, GO, JAVASCRIPT, PHP, PYTHON, RUBY, RUST, Language
from pr_review.checks.patterns import CodePattern
from pr_review.checks.source import Source
from pr_review.domain.finding import Category, Severity

NAME = "left-overs"
DEBUGGER_CAUSE = "debugger"

DEBUGGER = Rule(
    "debugger-left",
    Severity.HIGH,
    Category.BUG,
    "Debugger call left in",
    "Execution stops here and waits for a debugger: a server hangs, a command-line run blocks or fails.",
    "Remove the call.",
    cause=DEBUGGER_CAUSE,
)
FOCUSED = Rule(
    "focused-test",
    Severity.HIGH,
    Category.TEST,
    "Focused test left in",
    "Only the focused tests run; all others are skipped without a word while the run stays green.",
    "Remove the focus, so that the whole suite runs again.",
)
DEBUG_PRINT = Rule(
    "debug-print-left",
    Severity.LOW,
    Category.OTHER,
    "Debug print left in",
    "`dbg!` prints file, line and value to stderr in release builds too; its documentation says that it is "
    "not for version control.",
    "Remove the macro, or log the value on purpose.",
)


def _pattern(rule: Rule, language: Language, expression: str) -> CodePattern:
    return CodePattern(rule, (language,), re.compile(rf"(?<![\w.$]){expression}", re.MULTILINE))


TABLE = (
    _pattern(DEBUGGER, PYTHON, r"(?:breakpoint\(|(?:i?pdb|pudb)\.set_trace\(|debugpy\.breakpoint\()"),
    _pattern(DEBUGGER, JAVASCRIPT, r"debugger[ \t]*(?:;|\}|\r?$)"),
    _pattern(DEBUGGER, JAVASCRIPT, r"(?:cy|page)\.pause\(\)"),
    _pattern(DEBUGGER, RUBY, r"(?:binding\.(?:pry|irb|remote_pry|b)|byebug)\b(?![ \t]*=)"),
    _pattern(DEBUGGER, GO, r"runtime\.Breakpoint\(\)"),
    _pattern(DEBUGGER, PHP, r"xdebug_break\("),
    _pattern(DEBUGGER, CSHARP, r"(?:System\.Diagnostics\.)?Debugger\.(?:Break|Launch)\("),
    _pattern(DEBUGGER, ELIXIR, r"IEx\.pry\b"),
    _pattern(
        FOCUSED,
        JAVASCRIPT,
        r"(?:it|test|describe|context|suite|specify)(?:\.\w{1,40}){0,3}\.only[ \t]*[(.`<]",
    ),
    _pattern(FOCUSED, JAVASCRIPT, r"(?:fdescribe|fcontext|fit)\([ \t]*[\"'`]"),
    _pattern(FOCUSED, RUBY, r"(?:fdescribe|fcontext|fit|fspecify)[ (][ \t]*[\"']"),
    _pattern(FOCUSED, GO, r"(?:FDescribe|FContext|FWhen|FIt|FSpecify|FDescribeTable|FEntry)\([ \t]*[\"`]"),
    _pattern(DEBUG_PRINT, RUST, r"dbg!\("),
)


def find(source: Source) -> Iterator[Hit]:
    """Find hits on added lines, in the languages of ``TABLE``."""
    return patterns.find(source, TABLE)
