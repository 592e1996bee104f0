"""Lists that read their pages as needed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Callable, Generic, Iterator, Optional, Tuple, TypeVar

from ._record import Reply
from .errors import SuretyError

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list. The last one has no `next_cursor`."""

    data: Tuple[T, ...]
    next_cursor: Optional[str]
    reply: Reply


class Pages(Generic[T]):
    """A list. Iterating over it reads page after page; each new iteration starts again at the first one."""

    def __init__(self, read: Callable[[Optional[str]], Page[T]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def pages(self) -> Iterator[Page[T]]:
        """Walks through the pages. Raises `SuretyError` if a page leads to one before it."""
        page = self._read(None)
        mark: Optional[str] = None
        asked: Optional[str] = None
        seen, until_next_mark = 0, 1
        while True:
            yield page
            cursor = page.next_cursor
            # A list to poll ends, for now, where its cursor stays the same.
            if cursor is None or (cursor == asked and not page.data):
                return
            # Remembers one cursor, and replaces it after twice as many pages as before (Brent).
            if cursor == mark:
                raise SuretyError("The list is circular: a page's cursor leads back to an earlier page.")
            seen += 1
            if seen == until_next_mark:
                mark, seen, until_next_mark = cursor, 0, until_next_mark * 2
            asked = cursor
            page = self._read(cursor)

    def first_page(self) -> Page[T]:
        return self._read(None)

    def take(self, most: int) -> Tuple[T, ...]:
        """The first records, at most this many: a list may be longer than memory."""
        return tuple(islice(self, most)) if most > 0 else ()
