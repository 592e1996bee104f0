"""JSON within bounds, and without floats."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, FrozenSet, List, NoReturn

from .amounts import wire_number

MAX_DEPTH = 64
MAX_PARTS = 100_000
# Far above every number of the service. Longer ones cost quadratic time to read.
MAX_DIGITS = 400


class NotJson(ValueError):
    """The bytes are not JSON, or are larger than any document of the service."""


# Strings as a whole, what nests or separates, and numbers that are too long to read.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]|[0-9]{%d}' % MAX_DIGITS, re.DOTALL)


def _bounded(text: str) -> bool:
    depth = parts = strings = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token[0] == '"':
            strings += 1
        elif token in "[{":
            depth += 1
            parts += 1
        elif token in "]}":
            depth -= 1
        elif token == ",":
            parts += 1
        else:
            return False
        if not 0 <= depth <= MAX_DEPTH or parts > MAX_PARTS or strings > 3 * MAX_PARTS:
            return False
    return True


def _refuse(_: str) -> NoReturn:
    raise NotJson("NaN and Infinity are not JSON")


def parse(body: bytes) -> Any:
    """Reads JSON in UTF-8. Numbers with decimals are `Decimal`. Raises `NotJson`, with no part of the body."""
    try:
        text = body.decode("utf-8-sig")
        if not _bounded(text):
            raise NotJson
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse)
    except (ValueError, ArithmeticError, RecursionError):
        raise NotJson("not JSON in UTF-8") from None


def write(value: Any, amount_fields: FrozenSet[str]) -> str:
    """Writes JSON. The fields named in `amount_fields` are amounts, and become numbers without a float in between."""
    if isinstance(value, dict):
        members: List[str] = []
        for name, member in value.items():
            text = wire_number(member) if name in amount_fields else write(member, amount_fields)
            members.append(json.dumps(name) + ":" + text)
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(write(member, amount_fields) for member in value) + "]"
    if value is None or isinstance(value, (str, bool, int)):
        return json.dumps(value)
    from .errors import UsageError

    raise UsageError(f"A {type(value).__name__} cannot be sent as JSON: pass a time as a string, and a list as a list or tuple.")
