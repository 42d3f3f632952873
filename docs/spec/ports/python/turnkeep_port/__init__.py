"""A port of the turnkeep specification 1.0, levels plan and repair, written from its text."""

SPECIFICATION = "1.0"
LEVELS = ("plan", "repair")
