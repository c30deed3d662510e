"""The command daybook, carried by a wheel. There is nothing to import: start `daybook`, or `python -m daybook`."""
