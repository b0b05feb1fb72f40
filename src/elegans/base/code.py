"""Source code as far as it decides what is computed: without comments, docstrings and empty lines.

The text is the same under every version of Python, which syntax trees and bytecode are not.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from functools import cache


@cache
def plain(text: str) -> str:
    """The lines of a module or of a function, without what does nothing."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for row in _docstring_rows(ast.parse(text)):
        lines[row - 1] = ""
    return "\n".join(kept for line in lines if (kept := line.rstrip()))


def _docstring_rows(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            yield from range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
