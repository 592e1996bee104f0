"""The merchant interface under one API key."""

from __future__ import annotations

import ssl
import time
from typing import Callable, Optional, TypeVar

from ._http import Request, Response, Transport, exchange
from ._options import CallOptions, Patience, read_api_key, read_base_url, read_patience
from ._record import Record
from ._send import Retry, Runtime, Send
from .errors import StillPending, UsageError
from .generated.operations import Operations

R = TypeVar("R", bound=Record)


class Client(Operations):
    """Every operation of `/v1` is a method of its group: `client.refunds.create(...)`.

    Holds no connection, so create one and share it between threads. `api_key` is sent in the `Authorization` header
    and appears nowhere else. `base_url` is the service's base address, with or without `/v1`; https, except for this
    machine. `timeout` bounds one attempt and `deadline` the whole call, in seconds.

    Raises `UsageError` for invalid options. Every failed call raises a `CallError`.
    """

    def __init__(
        self,
        api_key: Optional[str],
        base_url: Optional[str],
        *,
        timeout: float = 30.0,
        deadline: float = 120.0,
        max_retries: int = 3,
        on_retry: Optional[Callable[[Retry], None]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        transport: Optional[Transport] = None,
    ) -> None:
        key = read_api_key(api_key)
        options = CallOptions(timeout=timeout, deadline=deadline, max_retries=max_retries)

        def secured(request: Request) -> Response:
            return exchange(request, ssl_context)

        chosen = transport if transport is not None else secured
        self._base_url = read_base_url(base_url)
        send = Send(lambda: key, self._base_url, read_patience(options, Patience()), Runtime(chosen), on_retry)
        super().__init__(send)

    def __repr__(self) -> str:
        return f"Client(base_url={self._base_url!r})"

    def __reduce__(self) -> str:
        raise TypeError("A client holds a secret key and cannot be pickled.")


def wait_until_settled(
    read: Callable[[], R],
    *,
    timeout: float = 120.0,
    sleep: Callable[[float], None] = time.sleep,
    elapsed: Callable[[], float] = time.monotonic,
) -> R:
    """Reads a refund or a verification until it is no longer `PENDING`, at first each second, then less often.

    `wait_until_settled(lambda: client.verifications.get(reference))`. Raises `StillPending` when the time is up.
    """
    if not timeout >= 0:
        raise UsageError("timeout must be a number of seconds.")
    ends_at = elapsed() + timeout
    wait = 1.0
    while True:
        record = read()
        if getattr(record, "status", None) != "PENDING":
            return record
        if elapsed() + wait > ends_at:
            raise StillPending(record, timeout)
        sleep(wait)
        wait = min(15.0, wait * 1.5)
