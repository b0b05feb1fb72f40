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
    """The lines of a module or of a function, without what does nothing; strings stay as they are."""
    docstrings = set(_docstring_rows(ast.parse(text), text))
    lines, strings, begun = text.split("\n"), set[int](), 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        (row, column), kind = token.start, tokenize.tok_name[token.type]
        if kind == "COMMENT":
            lines[row - 1] = lines[row - 1][:column]
        elif kind == "FSTRING_START":
            begun = row
        elif kind in ("STRING", "FSTRING_END"):
            strings |= set(range(begun if kind == "FSTRING_END" else row, token.end[0]))
    rows = ((i, line if i in strings else line.rstrip()) for i, line in enumerate(lines, 1) if i not in docstrings)
    return "\n".join(line for i, line in rows if line or i in strings)


def _docstring_rows(tree: ast.Module, text: str) -> Iterator[int]:
    """Rows of docstrings that have their rows for themselves."""
    lines = text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            said = node.body[0]
            end = said.end_lineno or said.lineno
            before = lines[said.lineno - 1].encode()[: said.col_offset]
            behind = lines[end - 1].encode()[said.end_col_offset :].decode()
            if not before.strip() and not behind.partition("#")[0].strip():
                yield from range(said.lineno, end + 1)
