"""The groups at hand: small ones of every type, by name, for rows that hold for all groups.

Z_n is cyclic, D_n dihedral of order 2n, Dic3 = ⟨a, b : a⁶ = 1, b² = a³, bab⁻¹ = a⁻¹⟩. Z_n with n > 2, A4 and F21 have irreps
of complex type, Q8 and Dic3 of quaternionic type; all irreps of the others are of real type.
"""

from collections.abc import Callable
from functools import cache

from elegans.theory.character_tables import CharacterTable, character_table
from elegans.theory.groups import Group, cyclic, symmetric
from elegans.theory.named_groups import (
    alternating,
    dihedral,
    elementary,
    frobenius21,
    metacyclic,
    product,
    quaternion,
)
from elegans.theory.representations import Irrep, irreps

MAKERS: dict[str, Callable[[], Group]] = {
    **{f"Z{n}": (lambda n=n: cyclic(n)) for n in range(2, 72)},
    **{f"D{n}": (lambda n=n: dihedral(n)) for n in range(3, 41)},
    **{f"S{n}": (lambda n=n: symmetric(n)) for n in range(3, 7)},
    **{f"Z2^{k}": (lambda k=k: elementary(k)) for k in range(2, 6)},
    "Z3xZ3": lambda: product(cyclic(3), cyclic(3)),
    "S3xZ2": lambda: product(symmetric(3), cyclic(2)),
    "Q8xZ3": lambda: product(quaternion(), cyclic(3)),
    "Q8": quaternion,
    "Dic3": lambda: metacyclic("Dic3", 6, 2, -1, 3),
    "A4": lambda: alternating(4),
    "A5": lambda: alternating(5),
    "F21": frobenius21,
}
EVERY_TYPE = ("Z7", "Z12", "Z2^3", "Z3xZ3", "D4", "D5", "D6", "S3", "S4", "S3xZ2", "Q8", "Dic3", "A4", "F21")
REAL_TYPE = ("Z2^3", "D4", "D5", "D6", "S3", "S4", "S3xZ2")


@cache
def group(name: str) -> Group:
    """The group of a name."""
    return MAKERS[name]()


@cache
def reps(name: str) -> tuple[Irrep, ...]:
    """Its real irreps, the trivial one first."""
    return irreps(group(name))


@cache
def table(name: str) -> CharacterTable:
    """Its real character table."""
    return character_table(reps(name))
