"""Amounts without floats: decimal strings or `Decimal` of major units, and `int` of minor units."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Union

from .errors import UsageError

AmountLike = Union[str, Decimal]

_DECIMAL = re.compile(r"([0-9]+)(?:\.([0-9]+))?")
# Digits that a JSON number carries exactly; the interface accepts no more.
_MOST_DIGITS = 15


def amount_of(amount: AmountLike) -> Decimal:
    """The exact amount of a decimal string of major units: `"2500.50"` is two thousand five hundred naira fifty kobo.

    Takes digits and a point, at most 15 digits. Raises `UsageError` for anything else, also for a float or an int:
    a float may be rounded already, and an int may be meant as kobo (`amount_of_minor`).
    """
    # Written out, 1E+999999999 would be a gigabyte.
    is_plain = isinstance(amount, Decimal) and amount.is_finite() and -30 < amount.adjusted() < 30
    text = format(amount, "f") if isinstance(amount, Decimal) and is_plain else amount
    match = _DECIMAL.fullmatch(text) if isinstance(text, str) else None
    if match is None or len((match[1] + (match[2] or "")).lstrip("0")) > _MOST_DIGITS:
        raise UsageError(
            "An amount must be a string or a Decimal of digits, with a point before any decimals: at most 15 digits in all. "
            "For minor units, use amount_of_minor."
        )
    return Decimal(text)


def amount_of_minor(minor: int, decimals: int) -> Decimal:
    """The amount of minor units of a currency with this number of decimals: `amount_of_minor(250050, 2)` is 2500.50."""
    _check(decimals)
    if isinstance(minor, bool) or not isinstance(minor, int) or minor < 0:
        raise UsageError("Minor units must be an int, 0 or more.")
    return amount_of(Decimal(minor).scaleb(-decimals))


def minor_of(amount: AmountLike, decimals: int) -> int:
    """Minor units of an amount, for sums: `minor_of(refund.amount, 2)`. Raises if the amount has more decimals."""
    _check(decimals)
    whole, _, fraction = format(amount_of(amount), "f").partition(".")
    if len(fraction.rstrip("0")) > decimals:
        raise UsageError(f"The amount has more than {decimals} decimals.")
    return int(whole + fraction.rstrip("0").ljust(decimals, "0"))


def wire_number(amount: object) -> str:
    """The JSON number of an amount: `2500.5` for `"2500.50"`."""
    if not isinstance(amount, (str, Decimal)):
        raise UsageError(
            f"An amount must be a decimal string or a Decimal of major units, not {type(amount).__name__}. "
            "Omit it for the whole payment."
        )
    whole, _, fraction = format(amount_of(amount), "f").partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + ("." + fraction if fraction else "")


def _check(decimals: int) -> None:
    if isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= 6:
        raise UsageError("The number of decimals must be the currency's: 2 for NGN.")
