"""This package holds the stages of scripts/gpu-check; it needs only Python's standard library."""
