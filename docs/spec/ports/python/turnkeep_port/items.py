"""What is an item? (chapter 1)

Reads one item of the neutral form into the few facts that the rules ask for. It knows
nothing of the other items of the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

KINDS = frozenset(
    ("message", "reasoning", "call", "output", "approval", "compaction", "context", "marker", "unclassified")
)
OF_THE_RUNNER = frozenset(("output", "approval", "marker"))

Key = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Item:
    """One item, defaults filled in. `complaint` is the kind of its notice, if it needs one."""

    kind: str
    origin: str
    id: str | None = None
    call_id: str | None = None
    namespace: str | None = None
    parent: str | None = None
    self_contained: bool = False
    executor: str = "runner"
    execution: str | None = None
    partial: bool = False
    response: int | None = None
    message: int | None = None
    """`source.message`: the message of the raw input that this is a part of."""
    role: str | None = None
    signature: str = "present"
    requires_reasoning: str | None = None
    run: str | None = None
    sequence: int | None = None
    complaint: str | None = None

    @property
    def key(self) -> Key:
        return (self.namespace, self.call_id)

    @property
    def is_marker(self) -> bool:
        """ITEM-3: an output that is pending is a marker as well."""
        return self.kind == "marker" or (self.kind == "output" and self.execution == "pending")

    @property
    def is_user_input(self) -> bool:
        """ITEM-6."""
        return (
            self.origin == "user"
            and not self.is_marker
            and self.kind not in ("call", "output")
            and not self.partial
        )

    @property
    def is_model_item(self) -> bool:
        """ITEM-7."""
        return self.origin == "model" and not self.is_marker

    @property
    def is_owning(self) -> bool:
        """ITEM-8."""
        return self.is_model_item and self.kind not in ("reasoning", "output", "context")

    @property
    def is_thought(self) -> bool:
        """A reasoning item that is not the user's own words (those are user input)."""
        return self.kind == "reasoning" and not self.is_user_input

    @property
    def is_transparent(self) -> bool:
        """What stands between items without parting them, in a history (chapter 9, groups)."""
        return self.is_marker or self.kind == "approval"

    @property
    def is_runner_output(self) -> bool:
        """An output that is there and that did not arrive inside its response."""
        return self.kind == "output" and self.origin != "model" and not self.is_marker

    @property
    def is_runner_call(self) -> bool:
        """A call that the runner has to answer, cut off or not."""
        return self.kind == "call" and self.executor == "runner" and not self.self_contained

    def without_id(self) -> Item:
        return replace(self, id=None)

    @property
    def is_complete_call(self) -> bool:
        return self.kind == "call" and not self.partial

    @property
    def awaits_output(self) -> bool:
        """PAIR-3: a call that can be answered."""
        return self.is_complete_call and not self.self_contained


def is_integer(value: Any) -> bool:
    """JSON knows one kind of number: 2.0 is an integer, true is none."""
    return not isinstance(value, bool) and (
        isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    )


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def _source(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        is_integer(value.get(name)) and value[name] >= 0 for name in ("message", "part")
    )


_ANY = KINDS
_KEYED = frozenset(("call", "output", "approval", "marker"))
_CALL = frozenset(("call",))

# field, where it means something, what it may hold
_FIELDS: tuple[tuple[str, frozenset[str], Callable[[Any], bool]], ...] = (
    ("origin", _ANY, _one_of("model", "runner", "user")),
    ("id", _ANY, _text),
    ("callId", _KEYED, _text),
    ("namespace", _KEYED, _text),
    ("parent", _CALL, _text),
    ("selfContained", _CALL, lambda value: value is True),
    ("executor", _CALL, _one_of("runner", "provider")),
    ("execution", _CALL, _one_of("running", "pending", "skipped", "denied")),
    (
        "execution",
        frozenset(("output",)),
        _one_of("executed", "failed", "denied", "skipped", "interrupted", "pending"),
    ),
    ("partial", _ANY, lambda value: value is True),
    ("response", _ANY, is_integer),
    ("source", _ANY, _source),
    ("role", _ANY, _one_of("system")),
    ("signature", _ANY, _one_of("present", "missing", "partial", "stale", "none")),
    ("requiresReasoning", _ANY, _text),
    ("run", _ANY, _text),
    ("sequence", _ANY, is_integer),
)


def read_item(raw: Any) -> Item:
    """One raw item of the neutral form; never fails (ITEM-4, ITEM-5, ITEM-9)."""
    if not isinstance(raw, Mapping):
        return Item("unclassified", "model", complaint="unclassified")
    given = raw.get("kind")
    kind = given if isinstance(given, str) and given in KINDS else "unclassified"
    # A field that does not fit, null and false included, is left out.
    fields: dict[str, Any] = {
        name: raw[name]
        for name, kinds, allows in _FIELDS
        if kind in kinds and name in raw and allows(raw[name])
    }
    complaint = "unclassified" if kind == "unclassified" else None
    if (
        kind == "call"
        and "callId" not in fields
        and "selfContained" not in fields
        and fields.get("namespace") != "tool-search"
    ):
        kind, complaint = "unclassified", "missing-call-id"
    return Item(
        kind=kind,
        origin=fields.get("origin", "runner" if kind in OF_THE_RUNNER else "model"),
        id=fields.get("id"),
        call_id=fields.get("callId"),
        namespace=fields.get("namespace"),
        parent=fields.get("parent"),
        self_contained="selfContained" in fields,
        executor=fields.get("executor", "runner"),
        execution=fields.get("execution"),
        partial="partial" in fields,
        response=fields.get("response"),
        message=fields["source"]["message"] if "source" in fields else None,
        role=fields.get("role"),
        signature=fields.get("signature", "present"),
        requires_reasoning=fields.get("requiresReasoning"),
        run=fields.get("run"),
        sequence=fields.get("sequence"),
        complaint=complaint,
    )
