"""A port of the turnkeep specification 1.0, level plan, written from its text."""

SPECIFICATION = "1.0"
LEVEL = "plan"
