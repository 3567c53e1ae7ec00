"""Turns the --help of the programs into man pages and completions, for scripts/help-files."""
