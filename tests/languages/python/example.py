#!/usr/bin/env python3
"""Shopping carts: the module docstring belongs to no definition."""

from __future__ import annotations

import dataclasses
import enum
import functools
import typing as t
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar, overload

__all__ = ["Cart"]
# How many items one cart may hold.
MAX_ITEMS: int = 100
_log = print
first, (second, third) = 1, (2, 3)
low = high = 0
annotated: dict[str, int]
T = TypeVar("T")
Price: TypeAlias = "int | float"
Point = NamedTuple("Point", [("x", int), ("y", int)])
UserId = t.NewType("UserId", int)
type Pair[K] = tuple[K, K]
type Name = str
double = lambda number: number * 2

if TYPE_CHECKING:
    from collections.abc import Iterator
    Rows = list
elif t:
    rows_limit = 1
else:
    Rows = tuple

try:
    import orjson as json
    HAS_ORJSON = True
except ImportError:
    import json
    HAS_ORJSON = False

first += 1
for index in range(3):
    print(index)


class Color(enum.Enum):
    """Colours of a tag."""

    RED = 1
    GREEN = enum.auto()

    def hex(self) -> str:
        return "#" + self.name


class Flags(enum.IntFlag): A = 1; B = 2


@dataclasses.dataclass(frozen=True)
# A comment between the decorator and the class.
class Cart(Generic[T], metaclass=type):
    """Build a cart of items."""

    items: list[T]
    count: t.ClassVar[int] = 0
    by_name = lambda self: sorted(self.items)

    def __init__(self, items: list[T]) -> None:
        self.items = items
        local = 1

    @property
    def total(self) -> int:
        return sum(self.items)

    @total.setter
    def total(self, value: int) -> None: ...

    @functools.cached_property
    def size(self) -> int:
        return len(self.items)

    @overload
    def get(self, key: int) -> T: ...
    @overload
    def get(self, key: str) -> list[T]: ...

    @staticmethod
    @functools.cache
    def get(self, key):
        def inner(value):
            return value

        return inner(key)

    class Row:
        __slots__ = ("left",)

        async def load(self) -> None: ...

    if TYPE_CHECKING:
        hidden: int


async def fetch[S: str](url: S, *,
                        retries: int = 3) -> S:
    # a local comment
    result = url
    if retries:
        def retry() -> None:
            pass
    class Local:
        value = 1
    return result


match first:
    case 1:
        def chosen(): return 1
    case _:
        pass


def defaults[D = int](value: D) -> D: return value


after = print(f"{first!r:>{second}}")
