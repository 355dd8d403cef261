"""Debugger calls, debug prints and focused tests that were left in the code."""

import re
from collections.abc import Iterator

from pr_review.checks import patterns
from pr_review.checks.excuses import is_markup, is_no_playwright, is_own_name
from pr_review.checks.hit import Hit, Rule
from pr_review.checks.languages import CSHARP, ELIXIR, GO, JAVASCRIPT, PHP, PYTHON, RUBY, RUST, Language
from pr_review.checks.patterns import CodePattern, Excuse
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


_NAMED = "it|test|describe|context|suite|specify"


def _pattern(rule: Rule, language: Language, expression: str, *excuses: Excuse) -> CodePattern:
    pattern = re.compile(rf"(?<![\w.$]){expression}", re.MULTILINE)
    return CodePattern(rule, (language,), pattern, excuses=excuses)


TABLE = (
    _pattern(DEBUGGER, PYTHON, r"(?:breakpoint\(|(?:i?pdb|pudb)\.set_trace\(|debugpy\.breakpoint\()"),
    _pattern(DEBUGGER, JAVASCRIPT, r"debugger[ \t]*(?:;|\}|\r?$)", is_markup),
    _pattern(DEBUGGER, JAVASCRIPT, r"(?P<name>cy)\.pause\(\)", is_own_name),
    _pattern(DEBUGGER, JAVASCRIPT, r"await[ \t]+page\.pause\(\)"),
    _pattern(DEBUGGER, JAVASCRIPT, r"page\.pause\(\)", is_no_playwright),
    _pattern(DEBUGGER, RUBY, r"(?:binding\.(?:pry|irb|remote_pry|b)|byebug)\b(?![ \t]*=)"),
    _pattern(DEBUGGER, GO, r"runtime\.Breakpoint\(\)"),
    _pattern(DEBUGGER, PHP, r"xdebug_break\("),
    _pattern(DEBUGGER, CSHARP, r"(?:System\.Diagnostics\.)?Debugger\.(?:Break|Launch)\("),
    _pattern(DEBUGGER, ELIXIR, r"IEx\.pry\b"),
    _pattern(
        FOCUSED,
        JAVASCRIPT,
        rf"(?P<name>{_NAMED})(?:\.\w{{1,40}}){{0,3}}\.only[ \t]*[(.`<]",
        is_own_name,
    ),
    _pattern(FOCUSED, JAVASCRIPT, r"(?P<name>fdescribe|fcontext|fit)\([ \t]*[\"'`]", is_own_name),
    _pattern(FOCUSED, RUBY, r"(?P<name>fdescribe|fcontext|fit|fspecify)[ (][ \t]*[\"']", is_own_name),
    _pattern(
        FOCUSED,
        GO,
        r"(?P<name>FDescribe|FContext|FWhen|FIt|FSpecify|FDescribeTable|FEntry)\([ \t]*[\"`]",
        is_own_name,
    ),
    _pattern(DEBUG_PRINT, RUST, r"(?P<name>dbg)!\(", is_own_name),
)


def find(source: Source) -> Iterator[Hit]:
    """Find hits on added lines, in the languages of ``TABLE``."""
    return patterns.find(source, TABLE)
