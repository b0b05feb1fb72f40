"""Code as far as it computes: what does nothing is dropped, all else is kept as it is written."""

import pytest

from elegans.base.code import plain

BARE = "def f(x):\n    return x + 1\n"


@pytest.mark.parametrize(
    "said",
    [
        "# why\ndef f(x):  # what\n    # how\n    return x + 1  # done\n",
        '"""About."""\n\n\ndef f(x):\n    """Doc."""\n    return x + 1\n',
        'def f(x):\n    """Doc\n\n    # of several lines.\n    """\n\n    return x + 1   \n\n',
    ],
)
def test_comments_docstrings_and_empty_lines_are_dropped(said: str):
    assert plain(said) == plain(BARE) == BARE.rstrip()


def test_docstrings_of_classes_and_methods_are_dropped():
    said = 'class A:\n    """Doc."""\n\n    x = 1\n\n    def f(self):\n        """Doc."""\n        return 1\n'
    assert plain(said) == "class A:\n    x = 1\n    def f(self):\n        return 1"


@pytest.mark.parametrize(
    "line",
    ['x = "a # b"', 'x = f"{1} # {2}"', "x = f'{\"#\"}'", 'x = """a\n# b"""', 'x = 1\n"""no docstring"""'],
)
def test_strings_are_kept_with_their_number_signs(line: str):
    assert plain(line + "  # why\n") == line


@pytest.mark.parametrize(
    "other",
    [
        "def f(x):\n    return x + 2\n",
        "def f(y):\n    return y + 1\n",
        "def f(x):\n    return 1 + x\n",
        BARE + "y = f(1)\n",
    ],
)
def test_a_change_of_code_is_seen(other: str):
    assert plain(other) != plain(BARE)


def test_a_change_within_a_string_is_seen():
    assert plain('x = "# a"\n') != plain('x = "# b"\n')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('def f(x): """d"""; return x + 1', 'def f(x): """d"""; return x + 2'),
        ('x = """a\n\nb"""', 'x = """a\nb"""'),
        ('x = """a  \nb"""', 'x = """a\nb"""'),
        ('x = f"""{1}\n\nb"""', 'x = f"""{1}\nb"""'),
        ('s = "\x0c"  # a\ny = 1', 's = "\x0c"  # a\ny = 2'),
    ],
)
def test_nothing_that_computes_is_dropped_with_a_docstring_or_a_line(one: str, other: str):
    assert plain(one + "\n") != plain(other + "\n")


def test_a_comment_behind_a_rare_line_separator_is_dropped():
    assert plain('s = "a\u2028b"  # why\ny = 1\n') == 's = "a\u2028b"\ny = 1'


def test_what_is_no_code_is_refused_as_syntax():
    with pytest.raises(SyntaxError):
        plain("lambda s, e: {\n")
