"""The turns of the model in HTML, each with its tool calls and a bar for the time it took."""

import json

from pr_review.report.html.safe_html import Html, code, code_block
from pr_review.report.wording.quantities import byte_size, duration, tokens
from pr_review.report.wording.timeline import Bar, CallStep, TurnStep


def turn_item(step: TurnStep) -> Html:
    """One turn, then its calls."""
    turn, calls = step.turn, Html.concat(map(_call_item, step.calls))
    return Html.fill(
        "<li>\n<p><strong>Round {round}</strong>: {action}{error} · {time} · {tokens}</p>\n"
        "{bar}{calls}</li>\n",
        round=turn.round,
        action=step.action,
        error=Html.fill(" ({error})", error=code(turn.error)) if turn.error else "",
        time=duration(turn.duration_ms),
        tokens=tokens(turn.usage),
        bar=_bar(step.bar, "model"),
        calls=Html.fill("<ul>\n{calls}</ul>\n", calls=calls) if calls else "",
    )


def _call_item(step: CallStep) -> Html:
    call = step.call
    return Html.fill(
        "<li>\n<p>{name}{failed}{cut} · {size} · {time}</p>\n{bar}{trace}</li>\n",
        name=code(call.name),
        failed="" if call.ok else " · failed",
        cut=" · cut" if call.truncated else "",
        size=byte_size(call.result_bytes),
        time=duration(call.duration_ms),
        bar=_bar(step.bar, "tool"),
        trace=_trace(step),
    )


def _trace(step: CallStep) -> Html:
    if step.trace is None:
        return Html()
    return Html.fill(
        "<details>\n<summary>Arguments and result</summary>\n{arguments}{result}</details>\n",
        arguments=code_block(json.dumps(step.trace.arguments, ensure_ascii=False, indent=2)),
        result=code_block(step.trace.result_preview),
    )


def _bar(bar: Bar, kind: str) -> Html:
    return Html.fill(
        '<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" '
        'focusable="false">'
        '<rect class="{kind}" x="{start}" width="{width}" height="1"/></svg>\n\n',
        kind=kind,
        start=bar.start,
        width=bar.width,
    )
