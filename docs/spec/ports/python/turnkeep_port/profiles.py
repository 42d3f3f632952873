"""What does a provider ask of a history? (AUDIT-2)"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .items import is_integer
from .progress import Refusal

Profile = Mapping[str, Any]

_FIELDS: dict[str, tuple[Any, ...]] = {
    "pairing": ("by-id", "by-occurrence"),
    "maximumOutputs": (1, "many"),
    "adjacency": ("free", "turn", "message", "response"),
    "neighbours": ("merged", "apart"),
    "order": ("free", "calls-last"),
    "firstRole": ("any", "user"),
    "openProviderCall": ("free", "outputs-only"),
    "approvedCalls": ("owed", "excused"),
    "orphanCall": ("close", "drop"),
    "parallel": ("per-pair", "all-or-none"),
    "association": ("next", "segment", "self"),
    "partners": ("by-place", "by-id"),
    "reasoning": ("optional", "with-calls", "first-in-last-turn", "refused"),
    "signatureScope": ("none", "next", "segment", "step", "prefix"),
}
_NEUTRAL: Profile = {field: values[0] for field, values in _FIELDS.items()}

_ANTHROPIC = {
    "adjacency": "message",
    "order": "calls-last",
    "firstRole": "user",
    "openProviderCall": "outputs-only",
    "association": "segment",
    "signatureScope": "segment",
}
_GEMINI = {
    "pairing": "by-occurrence",
    "adjacency": "response",
    "neighbours": "apart",
    "firstRole": "user",
    "parallel": "all-or-none",
    "association": "self",
    "signatureScope": "step",
}
_PRESETS: dict[str, Profile] = {
    "neutral": {},
    "responses": {"partners": "by-id"},
    "responses-stateless": {"partners": "by-id", "signatureScope": "next"},
    "chat-completions": {"adjacency": "message", "neighbours": "apart", "association": "segment"},
    "anthropic": _ANTHROPIC,
    "anthropic-preserved": _ANTHROPIC | {"signatureScope": "prefix"},
    "gemini": _GEMINI,
    "gemini-2.5": _GEMINI | {"signatureScope": "none"},
    "ai-sdk": {"adjacency": "turn", "approvedCalls": "excused", "association": "segment"},
}


def read_profile(raw: Any) -> Profile:
    """The name of a preset, or the fields that differ from `neutral`."""
    if isinstance(raw, str) and raw in _PRESETS:
        return {**_NEUTRAL, **_PRESETS[raw]}
    if not isinstance(raw, Mapping):
        raise Refusal("invalid-input", "profile is a preset's name or an object", "profile")
    for field, value in raw.items():
        if not (isinstance(value, str) or is_integer(value)) or value not in _FIELDS.get(field, ()):
            raise Refusal(
                "invalid-input", f"profile.{field} is unknown or has an unknown value", f"profile.{field}"
            )
    return {**_NEUTRAL, **raw}
