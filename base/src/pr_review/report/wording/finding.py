"""One finding in words: where it is, how sure its place is, its code, evidence and suggestion."""

from pr_review.domain.finding import AnchorStatus, Finding, Place, Side

_LINE_NAMES = {Side.RIGHT: "line", Side.LEFT: "removed line"}


def location(finding: Finding) -> str:
    """``path``, ``path:3`` or ``path:3-7``."""
    if finding.line is None:
        return finding.path
    ends = finding.end_line is not None and finding.end_line > finding.line
    return f"{finding.path}:{finding.line}" + (f"-{finding.end_line}" if ends else "")


def labels(finding: Finding) -> list[str]:
    """Category, confidence, how often it was reported, then the labels of its place."""
    words = [finding.category.replace("_", " ")]
    if finding.confidence is not None:
        words.append(f"{finding.confidence} confidence")
    if finding.merged:
        words.append(f"reported {finding.merged + 1} times")
    return words + place_labels(finding)


def place_labels(finding: Finding) -> list[str]:
    """Labels for a removed line and for a place that is not certain; none for a located line of the head."""
    removed = [_LINE_NAMES[Side.LEFT]] if finding.side is Side.LEFT and finding.line else []
    places = len(finding.alternatives) + 1
    if finding.anchor is AnchorStatus.UNVERIFIED:
        return [*removed, "unverified"]
    if places > 1 and finding.anchor is AnchorStatus.NEAREST:
        return [*removed, f"nearest of {places} places"]
    if places > 1 and finding.anchor is AnchorStatus.AMBIGUOUS:
        return [*removed, f"one of {places} places"]
    return removed


def anchor_note(finding: Finding) -> str:
    """A sentence on a place that is not certain; empty when the code was located or none was quoted."""
    others = ", ".join(map(_name_place, finding.alternatives))
    if finding.anchor is AnchorStatus.UNVERIFIED:
        return "The quoted code was not found in this file; the line is the reviewer's."
    if finding.anchor is AnchorStatus.NEAREST:
        return f"The quoted code also stands at {others}; this is by far the nearest to the reviewer's line."
    if finding.anchor is AnchorStatus.AMBIGUOUS and others:
        return f"The quoted code also stands at {others}; which place is meant cannot be told."
    if finding.anchor is AnchorStatus.AMBIGUOUS:
        return "The quoted code is too little to tell which place is meant."
    return ""


def removed_lines(finding: Finding) -> str:
    """Names the removed lines, for reports that can only show lines of the head; else empty."""
    if finding.side is not Side.LEFT or finding.line is None:
        return ""
    place = Place(side=finding.side, line=finding.line, end_line=finding.end_line)
    return f"{_name_place(place).capitalize()} of the merge base."


def _name_place(place: Place) -> str:
    """``line 3``, ``lines 3-7``, ``removed line 3``."""
    several = place.end_line is not None and place.end_line > place.line
    name = _LINE_NAMES[place.side]
    return f"{name}s {place.line}-{place.end_line}" if several else f"{name} {place.line}"


def evidence_to_show(finding: Finding) -> str:
    """The evidence; empty when the marked lines of the excerpt already show every line of it."""
    marked = [text for number, text in _excerpt(finding) if _is_marked(finding, number)]
    lines = finding.evidence.splitlines()
    return "" if all(any(line.strip() in text for text in marked) for line in lines) else finding.evidence


def numbered_code(finding: Finding) -> str:
    """The excerpt with line numbers; ``>`` marks the finding's own lines. Empty without an excerpt."""
    numbered = _excerpt(finding)
    width = len(str(numbered[-1][0])) if numbered else 0
    return "\n".join(
        f"{'>' if _is_marked(finding, number) else ' '} {number:{width}} | {text}".rstrip()
        for number, text in numbered
    )


def evidence_is_code(finding: Finding) -> bool:
    """The excerpt holds every line of the evidence, so the evidence is code and not prose."""
    shown = {line.strip() for line in finding.excerpt.lines} if finding.excerpt else set()
    lines = finding.evidence.splitlines()
    return bool(lines) and all(line.strip() in shown for line in lines)


def replacement(finding: Finding) -> str:
    """The suggestion as a diff: with the file's own lines when it is exact, else with the quoted ones."""
    if finding.edit is not None:
        removed, added = finding.edit.removed, finding.edit.added
    elif finding.existing_code and finding.suggestion is not None:
        removed, added = _lines(finding.existing_code), _lines(finding.suggestion)
    else:
        return ""
    return "\n".join((*(f"-{line}" for line in removed), *(f"+{line}" for line in added)))


def _excerpt(finding: Finding) -> list[tuple[int, str]]:
    excerpt = finding.excerpt
    return list(enumerate(excerpt.lines, excerpt.start_line)) if excerpt else []


def _is_marked(finding: Finding, number: int) -> bool:
    first, last = finding.line or 0, finding.end_line or finding.line or 0
    return first <= number <= last


def _lines(code: str) -> tuple[str, ...]:
    return tuple(line.removesuffix("\r") for line in code.removesuffix("\n").split("\n"))
