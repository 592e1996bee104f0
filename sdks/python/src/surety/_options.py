"""Options of a client and of a call."""

from __future__ import annotations

import enum
import math
import re
from dataclasses import dataclass
from typing import Optional
from urllib.parse import urlsplit

from .errors import UsageError

_ONE_DAY = 86_400.0
_LOOPBACK = re.compile(r"localhost|.+\.localhost|127\.[0-9]+\.[0-9]+\.[0-9]+|::1")


class Omitted(enum.Enum):
    """The default of fields without which a call does the most, such as an amount: leaving one out must not be confused
    with a None that was not expected."""

    IT = "omitted"


OMITTED = Omitted.IT


@dataclass(frozen=True)
class CallOptions:
    """How long one call may take and how often it may be tried. None: the client's own."""

    # Seconds for one attempt.
    timeout: Optional[float] = None
    # Seconds for the whole call, with every attempt and wait.
    deadline: Optional[float] = None
    # Attempts after the first one.
    max_retries: Optional[int] = None


@dataclass(frozen=True)
class Patience:
    timeout: float = 30.0
    deadline: float = 120.0
    max_retries: int = 3


def read_patience(options: Optional[CallOptions], fallback: Patience) -> Patience:
    """The limits that are set; omitted ones come from `fallback`. Raises `UsageError` for an invalid number."""
    asked = options if options is not None else CallOptions()
    patience = Patience(
        fallback.timeout if asked.timeout is None else asked.timeout,
        fallback.deadline if asked.deadline is None else asked.deadline,
        fallback.max_retries if asked.max_retries is None else asked.max_retries,
    )
    for name, seconds in (("timeout", patience.timeout), ("deadline", patience.deadline)):
        numeric = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and math.isfinite(seconds)
        if not (numeric and 0 < seconds <= _ONE_DAY):
            raise UsageError(f"{name} must be a number of seconds above 0 and at most {_ONE_DAY:.0f}.")
    retries = patience.max_retries
    if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 20:
        raise UsageError("max_retries must be an int from 0 to 20.")
    return patience


def read_idempotency_key(key: object) -> str:
    if isinstance(key, str) and re.fullmatch(r"[\x20-\x7e]{1,255}", key) and key.strip():
        return key
    raise UsageError("idempotency_key must be 1 to 255 printable ASCII characters.")


def read_api_key(api_key: object) -> str:
    """The key as it is sent. An invalid one is rejected without being shown."""
    if isinstance(api_key, str) and re.fullmatch(r"sk_(?:test|live)_[A-Za-z0-9_]+", api_key):
        return api_key
    fault = "is missing" if api_key is None or api_key == "" else "does not have that form"
    raise UsageError(f"api_key must be your backend's secret key, sk_test_… or sk_live_…; the given value {fault}.")


def read_base_url(base_url: object) -> str:
    """The base address without a trailing slash and without `/v1`. The key crosses a network only under TLS."""

    def refuse(why: str) -> UsageError:
        return UsageError(
            f"base_url must be the service's url, such as https://pay.example/api; the given value {why}."
        )

    try:
        if not isinstance(base_url, str) or re.search(r"[\x00-\x20\x7f-\uffff]", base_url):
            raise ValueError
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        raise refuse("is not an absolute url") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise refuse("is not an absolute url")
    if "@" in parts.netloc:
        raise refuse("has a user name or password")
    if "?" in base_url or "#" in base_url:
        raise refuse("has a query or a fragment")
    if parts.scheme == "http" and not _LOOPBACK.fullmatch(parts.hostname):
        raise refuse("is not https, which is required except for this machine")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = re.sub(r"/+\Z", "", re.sub(r"/v1/*\Z", "", parts.path))
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{path}"
