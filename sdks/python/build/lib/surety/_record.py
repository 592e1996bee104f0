"""What all records have, and how they are read from JSON."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Callable, ClassVar, Mapping, Optional, Tuple, Type, TypeVar

R = TypeVar("R", bound="Record")
T = TypeVar("T")
Reader = Callable[[Any], Any]


@dataclass(frozen=True)
class Reply:
    """The response that a record came in."""

    status: int
    # Quote it when you report a problem.
    request_id: str
    attempts: int
    # Whether it is a replay under the same idempotency key: nothing was done now.
    replayed: bool
    idempotency_key: Optional[str]


# Shown by `repr`. Everything else may be a person's, and a repr ends up in logs.
_SHOWN = frozenset(("id", "refund_id", "transaction_id", "grant_id", "data_request_id", "event_id", "endpoint_id"))
_SHOWN_TOO = frozenset(("code", "topic", "status", "environment", "amount", "currency"))


class Record:
    """A record of the service. Attributes have the wire's names in snake_case."""

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = ()

    # The JSON that it was read from, with members that are newer than this package.
    raw: Mapping[str, Any] = MappingProxyType({})
    # The response's metadata; None for a record within another one.
    reply: Optional[Reply] = None

    @classmethod
    def of(cls: Type[R], raw: Mapping[str, Any]) -> R:
        """Reads a record. Raises `TypeError` if the JSON is not of its shape."""
        if not isinstance(raw, Mapping):
            raise TypeError("not an object")
        members = {name: read(raw[wire]) for name, wire, read in cls.FIELDS if wire in raw}
        record = cls(**members)
        object.__setattr__(record, "raw", MappingProxyType(dict(raw)))
        return record

    def __repr__(self) -> str:
        shown = [
            f"{name}={getattr(self, name)!r}"
            for name, _, _ in self.FIELDS
            if (name in _SHOWN or name in _SHOWN_TOO) and getattr(self, name) is not None
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def with_reply(record: R, reply: Reply) -> R:
    object.__setattr__(record, "reply", reply)
    return record


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("not a boolean")
    return value


def integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("not an integer")
    return value


def amount(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise TypeError("not a number")
    return Decimal(value)


def anything(value: Any) -> Any:
    return value


def many(read: Callable[[Any], T]) -> Callable[[Any], Tuple[T, ...]]:
    def reader(value: Any) -> Tuple[T, ...]:
        if not isinstance(value, list):
            raise TypeError("not a list")
        return tuple(read(member) for member in value)

    return reader


def mapping(read: Callable[[Any], T]) -> Callable[[Any], Mapping[str, T]]:
    def reader(value: Any) -> Mapping[str, T]:
        if not isinstance(value, Mapping):
            raise TypeError("not an object")
        return MappingProxyType({name: read(member) for name, member in value.items()})

    return reader
