"""A question as JSON has it -> its answer or error document (00-answers)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .auditing import audit
from .items import Item, Key, is_integer, read_item
from .pairing import Turn, list_pairs, read_turn
from .planning import Outcome, plan
from .profiles import Profile, read_profile
from .progress import Refusal, read_progress
from .reasoning import associate, list_owners
from .repairing import repair

_POLICY: dict[str, tuple[str, ...]] = {
    "association": ("next", "segment"),
    "trailingReasoning": ("drop", "keep"),
    "committed": ("answered", "executed"),
    "unansweredCalls": ("close", "drop", "keep"),
    "rejectedOutput": ("redact", "keep"),
    "partialItems": ("drop", "keep"),
    "brokenContext": ("strip-id", "keep-id"),
    "unclassified": ("withhold", "keep"),
    "unjudged": ("keep", "withhold"),
    "speculative": ("committed", "discard"),
}
_DEFAULT = {field: values[0] for field, values in _POLICY.items()}
_PRESETS = {
    "default": _DEFAULT,
    "seed": _DEFAULT | {"unansweredCalls": "keep", "rejectedOutput": "keep", "brokenContext": "keep-id"},
}


def answer(question: Any) -> dict[str, Any]:
    """Total: what cannot be answered gets an error document."""
    try:
        return _answer(question)
    except Refusal as refusal:
        error = {"kind": refusal.kind, "message": refusal.message}
        return {"error": error if refusal.path is None else error | {"path": refusal.path}}


def _answer(question: Any) -> dict[str, Any]:
    if not isinstance(question, Mapping):
        raise Refusal("invalid-input", "a question is an object")
    match question.get("op"):
        case "plan":
            return _answer_plan(question)
        case "pair":
            open_calls = _read_open(question)
            turn = _read_turn(question, open_calls)
            return {"pairs": list_pairs(turn), "unpaired": turn.unpaired}
        case "associate":
            policy = _read_policy(question)
            turn = _read_turn(question, [])
            return {"owner": list_owners(turn, associate(turn, policy["association"]))}
        case "audit":
            items, open_calls, profile, at_rest = _read_history(question)
            violations = audit(items, open_calls, profile, at_rest)
            return {"violations": [violation.to_json(items) for violation in violations]}
        case "repair":
            items, open_calls, profile, at_rest = _read_history(question)
            return repair(question["items"], items, open_calls, profile, at_rest)
        case _:
            raise Refusal("invalid-input", "op is plan, pair, associate, audit or repair", "op")


def _answer_plan(question: Mapping[str, Any]) -> dict[str, Any]:
    policy = _read_policy(question)
    name = question.get("turn", "turn")
    if not isinstance(name, str):
        raise Refusal("invalid-input", "turn is a string", "turn")
    progress = read_progress(question.get("progress"), name)
    outcome = _read_outcome(question)
    store = question.get("store", "append")
    if store not in ("append", "replace"):
        raise Refusal("invalid-input", "store is append or replace", "store")
    turn = _read_turn(question, _read_open(question))
    if outcome.start is not None and not 0 <= outcome.start < len(turn):
        raise Refusal("invalid-input", f"outcome.from is a position below {len(turn)}", "outcome.from")
    return plan(turn, name, outcome, policy, progress, store == "append")


def _read_history(question: Mapping[str, Any]) -> tuple[list[Item], list[Key], Profile, bool]:
    profile = read_profile(question.get("profile", "neutral"))
    open_calls = _read_open(question)
    at_rest = question.get("atRest", False)
    if not isinstance(at_rest, bool):
        raise Refusal("invalid-input", "atRest is true or false", "atRest")
    return _read_items(question), open_calls, profile, at_rest


def _read_turn(question: Mapping[str, Any], open_calls: list[Key]) -> Turn:
    return read_turn(_read_items(question), open_calls)


def _read_items(question: Mapping[str, Any]) -> list[Item]:
    if question.get("dialect", "neutral") != "neutral":
        raise Refusal("invalid-input", "this port reads the neutral form only", "dialect")
    items = question.get("items")
    if not isinstance(items, list):
        raise Refusal("decode", "items is a list", "items")
    return [read_item(item) for item in items]


def _read_open(question: Mapping[str, Any]) -> list[Key]:
    raw = question.get("open", [])
    if not isinstance(raw, list):
        raise Refusal("invalid-input", "open is a list", "open")
    keys: list[Key] = []
    for index, call in enumerate(raw):
        if (
            not isinstance(call, Mapping)
            or not isinstance(call.get("callId"), str)
            or not isinstance(call.get("namespace", ""), str)
        ):
            raise Refusal("invalid-input", "an open call has a callId and perhaps a namespace", f"open[{index}]")
        keys.append((call.get("namespace"), call["callId"]))
    return keys


def _read_policy(question: Mapping[str, Any]) -> dict[str, str]:
    """SELECT-30."""
    raw = question.get("policy", "default")
    if isinstance(raw, str) and raw in _PRESETS:
        return _PRESETS[raw]
    if not isinstance(raw, Mapping):
        raise Refusal("invalid-input", "policy is a preset's name or an object", "policy")
    for field, value in raw.items():
        if not isinstance(value, str) or value not in _POLICY.get(field, ()):
            raise Refusal("invalid-input", f"policy.{field} is unknown or has an unknown value", f"policy.{field}")
    return _DEFAULT | dict(raw)


def _read_outcome(question: Mapping[str, Any]) -> Outcome:
    raw = question.get("outcome", {"kind": "accepted"})
    if not isinstance(raw, Mapping):
        raise Refusal("invalid-input", "outcome is an object", "outcome")

    def choose(field: str, *values: str) -> str:
        if raw.get(field) not in values:
            raise Refusal(
                "invalid-input", f"outcome.{field} is one of {', '.join(values)}", f"outcome.{field}"
            )
        return raw[field]

    kind = choose("kind", "accepted", "rejected", "failed", "aborted", "input-rejected", "open")
    match kind:
        case "rejected":
            deliverable = choose("deliverable", "message", "output")
            start = raw.get("from")
            if "from" in raw and not (is_integer(start) and start >= 0):
                raise Refusal("invalid-input", "outcome.from is a position", "outcome.from")
            return Outcome(kind, deliverable=deliverable, start=None if start is None else int(start))
        case "failed" | "aborted":
            return Outcome(kind, check=choose("check", "none", "due"))
        case "open":
            return Outcome(kind, check=choose("check", "none", "message", "output", "input"))
        case _:
            return Outcome(kind)
