"""When a failed attempt is retried, and whether it may have taken effect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Optional

_BASE = 0.5
_LARGEST = 8.0
# A longer `Retry-After` is left to the caller.
_LONGEST_RETRY_AFTER = 60.0


@dataclass(frozen=True)
class Route:
    """Method and path of an operation."""

    method: str
    path: str
    # Whether it takes an `Idempotency-Key`, so that a retry never repeats the effect.
    keyed: bool

    @property
    def repeatable(self) -> bool:
        return self.method == "GET" or self.keyed


@dataclass(frozen=True)
class Failure:
    """Why one attempt did not succeed: `problem`, `unexpected`, `silence` or `timeout`."""

    kind: str
    status: int = 0
    # The problem's code.
    code: str = ""
    retry_after: Optional[float] = None
    # A success with a truncated body.
    garbled: bool = False
    # Whether the request certainly never left.
    not_sent: bool = False
    # Whether the limit of the whole call was reached.
    deadline: bool = False
    # Whether the problem lists faults of the request.
    faults: bool = False


def _answered(failure: Failure) -> bool:
    return failure.kind in ("problem", "unexpected")


def _may_be_transient(failure: Failure) -> bool:
    # Every 5xx leaves open whether the request took effect: a proxy's 524, for example, says only that the service has
    # not responded in time.
    unclear = failure.status == 408 or failure.status >= 500
    in_progress = failure.status == 409 and failure.code == "idempotency_in_progress"
    return unclear or in_progress or failure.garbled


def _may_retry(failure: Failure, route: Route) -> bool:
    if failure.kind == "timeout":
        return not failure.deadline and route.repeatable
    if failure.kind == "silence":
        return failure.not_sent or route.repeatable
    # A request over its limit had no effect.
    return failure.status == 429 or (route.repeatable and _may_be_transient(failure))


def retry_delay(failure: Failure, route: Route, attempts: int, random: float) -> Optional[float]:
    """Seconds before the next attempt; None for none. `attempts` were made, `random` is from 0 to 1.

    Full jitter below a doubling bound; never earlier than `Retry-After`, and spread a little above it.
    """
    if not _may_retry(failure, route):
        return None
    if failure.retry_after is None:
        return random * min(_LARGEST, _BASE * 2.0 ** (attempts - 1))
    return None if failure.retry_after > _LONGEST_RETRY_AFTER else failure.retry_after + random * _BASE


def may_have_taken_effect(failure: Failure, route: Route) -> bool:
    """Whether a failed request had an effect: certainly not, or unknown."""
    if route.method == "GET":
        return False
    if failure.kind == "timeout":
        return True
    if failure.kind == "silence":
        return not failure.not_sent
    # An unreadable success may still be a success.
    return _may_be_transient(failure) or failure.status < 300


def settles_the_outcome(failure: Failure, route: Route) -> bool:
    """Whether a failure settles what earlier, lost responses left open.

    With an idempotency key a rejection does: had an earlier attempt succeeded, its response would have been replayed.
    A refusal of the API key, the merchant, the rate or the request's form does not: it comes before the idempotency key
    is looked up.
    """
    if failure.status in (401, 403, 405, 406, 413, 415, 429) or failure.code in ("invalid_json", "route_not_found"):
        return False
    if failure.faults:
        return False
    return route.keyed and failure.kind == "problem" and not _may_be_transient(failure)


def read_retry_after(header: Optional[str], now: float) -> Optional[float]:
    """`Retry-After` in seconds from now: seconds or a date (RFC 9110, 10.2.3). None if it is neither."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header.strip()):
        return float(header)
    if not re.fullmatch(r"[A-Z][a-z]{2}.* GMT", header):
        return None
    try:
        return max(0.0, parsedate_to_datetime(header).replace(tzinfo=timezone.utc).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None
