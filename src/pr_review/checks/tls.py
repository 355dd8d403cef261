"""TLS connections that do not verify the certificate of the other side."""

import re
from collections.abc import Iterator

from pr_review.checks import patterns
from pr_review.checks.excuses import is_option, is_prose, is_test, is_verified_otherwise
from pr_review.checks.hit import Hit, Rule
from pr_review.checks.languages import (
    COMMANDS,
    CSHARP,
    GO,
    JAVASCRIPT,
    JVM,
    PHP,
    PYTHON,
    RUBY,
    RUST,
    SHELL,
    Language,
)
from pr_review.checks.patterns import CodePattern, Excuse
from pr_review.checks.ruff_rules import TLS_CAUSE
from pr_review.checks.source import Source
from pr_review.domain.finding import Category, Severity

NAME = "tls-verification"
CAUSE = TLS_CAUSE

RULE = Rule(
    "tls-verification-off",
    Severity.HIGH,
    Category.SECURITY,
    "TLS certificate verification is switched off",
    "Without verification any machine on the path can answer in the server's name, and read and change "
    "all that is sent.",
    "Keep verification on; for a private certificate authority, name its certificate instead.",
    cause=CAUSE,
)

_CLIENTS = "requests|httpx|urllib3|aiohttp|botocore|boto3|hvac|websockets|kubernetes|elasticsearch"
_IMPORTS_CLIENT = re.compile(rf"^[ \t]*(?:import|from)[ \t][^\n]{{0,200}}\b(?:{_CLIENTS})\b", re.MULTILINE)
_VERIFY = "verify|verify_ssl|verify_tls|ssl_verify|verify_certs"
# Python allows CERT_NONE only after check_hostname = False, so the two lines are one defect.
_NO_HOSTNAME = r"\b(?:check_hostname|assert_hostname)[ \t]*=[ \t]*False\b"
_NO_CERTIFICATE = r"(?<![=!<>])=[ \t]*[\"']?(?:\w{1,40}\.){0,3}CERT_NONE\b[\"']?"
_NODE_OPTION = "(?:rejectUnauthorized|strictSSL)"
_NODE_VARIABLE = r"\bprocess\.env(?:\.|\[[\"'])NODE_TLS_REJECT_UNAUTHORIZED(?:[\"']\])?"
# One character of a shell command: no separator, but also a continued line end.
_OF_COMMAND = r"(?:[^|;&\n\\]|&(?![&\s])|\\.)"
_CURL_SHORT = "[fsSLgiIlnNpqRvaGjJO0-9#]{0,12}"  # the short options of curl that take no value


def _pattern(
    languages: tuple[Language, ...],
    expression: str,
    needs: re.Pattern[str] | None = None,
    excuses: tuple[Excuse, ...] = (),
) -> CodePattern:
    pattern = re.compile(expression, re.MULTILINE | re.DOTALL)
    return CodePattern(RULE, languages, pattern, needs, (is_test, is_option, *excuses))


def _option(command: str, option: str) -> CodePattern:
    """Match a whole command possessively, so that a long line is read only once."""
    start, end = r"(?:[ \t]|(?<=\\\n))", r"(?![\w-])"
    before = rf"(?:(?!{start}(?:{option}){end}){_OF_COMMAND})*+"
    found = rf"(?:{start}(?P<at>{option}){end})?+"
    return _pattern((SHELL, COMMANDS), rf"\b(?:{command})\b(?=[ \t]){before}{found}", excuses=(is_prose,))


def _variable(names: str, value: str) -> CodePattern:
    return _pattern((SHELL, COMMANDS), rf"\b(?:{names})[\"']?[ \t]*[=:][ \t]*[\"']?(?:{value})\b[\"']?")


TABLE = (
    _pattern((PYTHON,), r"\b_create_unverified_context\b(?=[ \t]*(?:\(|$))"),
    _pattern(
        (PYTHON,), rf"{_NO_HOSTNAME}(?:[^\n]{{0,200}}\n[^\n]{{0,200}}?{_NO_CERTIFICATE})?|{_NO_CERTIFICATE}"
    ),
    _pattern((PYTHON,), rf"\b(?:{_VERIFY})[ \t]*=[ \t]*False\b", _IMPORTS_CLIENT),
    _pattern((JAVASCRIPT,), rf"(?<![\w.])[\"']?{_NODE_OPTION}[\"']?[ \t]*:[ \t]*false\b"),
    _pattern((JAVASCRIPT,), rf"\b{_NODE_OPTION}[ \t]*=[ \t]*false\b"),
    _pattern((JAVASCRIPT,), rf"{_NODE_VARIABLE}[ \t]*=[ \t]*[\"']?0\b[\"']?"),
    _pattern((GO,), r"\bInsecureSkipVerify[ \t]*[:=][ \t]*true\b", excuses=(is_verified_otherwise,)),
    _pattern((RUST,), r"\bdanger_accept_invalid_(?:certs|hostnames)\([ \t]*true\b"),
    _pattern((RUBY,), r"(?<![=!])(?:=>?|:)[ \t]*(?:::)?OpenSSL::SSL::VERIFY_NONE\b"),
    _pattern((PHP,), r"\bCURLOPT_SSL_VERIFY(?:PEER|HOST)[ \t]*(?:,|=>)[ \t]*(?:false|0)\b"),
    _pattern((JVM,), r"\b(?:NoopHostnameVerifier\.INSTANCE|ALLOW_ALL_HOSTNAME_VERIFIER(?=[ \t]*\)))"),
    _pattern((CSHARP,), r"\bDangerousAcceptAnyServerCertificateValidator\b"),
    _option("curl", rf"--insecure|-{_CURL_SHORT}k{_CURL_SHORT}"),
    _option("wget", "--no-check-certificate"),
    _option("kubectl|helm", "--insecure-skip-tls-verify(?!=false)"),
    _option("git", r"http\.sslVerify[= ](?:false|0)"),
    _option("npm|yarn|pnpm", "strict-ssl[= ]false"),
    _variable("GIT_SSL_NO_VERIFY", "1|true|yes"),
    _variable("NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY", "0"),
)


def find(source: Source) -> Iterator[Hit]:
    """Find hits on added lines, in the languages of ``TABLE``."""
    return patterns.find(source, TABLE)
