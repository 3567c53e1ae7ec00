"""Has the sed script that prints the names of the layers of a plan file, and nothing of another file.

A plan has its schema in line 2, so sed ends there on a larger file of another kind. It also ends after the layers,
which come before the many operations of a prediction. No part of it needs quotes within single quotes.
"""

NAMES_OF_LAYERS = (r'2{/"cnnplan\.plan\//!q;};/^  "layers": \[/,/^  \]/'
                   r'{s/^ *{\{0,1\} *"name": "\([^"]*\)".*/\1/p;/^  \]/q;}')
