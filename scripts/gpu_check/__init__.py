"""The stages of scripts/gpu-check; needs nothing but Python's standard library."""
