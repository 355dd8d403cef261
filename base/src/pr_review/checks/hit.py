"""What a check reports: the rule, and the place where the rule was broken."""

from dataclasses import dataclass

from pr_review.domain.finding import Category, Severity

MAX_EVIDENCE_CHARS = 300  # one minified line must not fill a report


@dataclass(frozen=True)
class Rule:
    """A defect that a check can prove.

    ``title`` names the defect, ``why`` says what goes wrong, and ``fix`` says what to do. Hits with the same
    ``cause`` on the same line become one finding; an empty ``cause`` means the rule's code.
    """

    code: str
    severity: Severity
    category: Category
    title: str
    why: str
    fix: str
    cause: str = ""


@dataclass(frozen=True)
class Hit:
    """One defect on an added line, from 1; ``end_line`` is included.

    The texts may quote secrets until ``run_checks`` has masked them.
    """

    rule: str
    line: int
    end_line: int | None
    severity: Severity
    category: Category
    title: str
    explanation: str
    evidence: str
    recommendation: str
    cause: str

    @classmethod
    def of(
        cls,
        rule: Rule,
        line: int,
        evidence: str,
        *,
        end_line: int | None = None,
        title: str | None = None,
    ) -> "Hit":
        """Create a hit of ``rule``; ``title`` replaces the rule's own title."""
        return cls(
            rule=rule.code,
            line=line,
            end_line=end_line,
            severity=rule.severity,
            category=rule.category,
            title=clip(title or rule.title),
            explanation=rule.why,
            evidence=clip(evidence),
            recommendation=rule.fix,
            cause=rule.cause or rule.code,
        )


def clip(line: str) -> str:
    """Strip the line and cut it to ``MAX_EVIDENCE_CHARS`` characters."""
    text = line.strip()
    return text if len(text) <= MAX_EVIDENCE_CHARS else text[: MAX_EVIDENCE_CHARS - 1] + "…"
