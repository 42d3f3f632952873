"""One question per line on standard input, one answer per line on standard output, in order."""

from __future__ import annotations

import json
import sys
from typing import Any

from .answering import answer


def answer_line(line: str) -> dict[str, Any]:
    try:
        question = json.loads(line)
    except (ValueError, RecursionError):
        return {"error": {"kind": "invalid-input", "message": "the line is no JSON document"}}
    return answer(question)


def main() -> None:
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in sys.stdin:
        print(json.dumps(answer_line(line), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
