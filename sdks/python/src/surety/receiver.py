"""Receives deliveries: verifies each one, runs the work once per event, and says what to respond."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import IO, Any, Callable, Dict, Literal, Mapping, Optional, Union

from .webhooks import BodyLike, Event, HeadersLike, Secrets, WebhookRefused, verify

_log = logging.getLogger("surety")

# `running`: another delivery of the same event holds the claim. `completed`: the work was done before.
Claim = Union["Claimed", Literal["running", "completed"]]
Outcome = Literal["processed", "duplicate", "running", "refused", "failed"]


class Claimed:
    """A claim that is yours alone. Do the work, then `complete`; if it failed and may be retried, `release`."""

    def __init__(self, complete: Callable[[], None], release: Callable[[], None]) -> None:
        self.complete = complete
        self.release = release


class DedupeStore:
    """Remembers processed events. Subclass it on a table that all your processes share."""

    def claim(self, event_id: str) -> Claim:
        """Claims an event atomically: of concurrent calls for one id, at most one gets `Claimed`.

        A claim that is neither completed nor released must expire, so that a dead process does not hold its event. An
        expired claim must not release that of its successor. Remember a completed event for at least ten days, which
        covers the retry schedule. A requested resend can arrive later.
        """
        raise NotImplementedError


class MemoryStore(DedupeStore):
    """A store in this process's memory: for one process, and lost when it ends. Safe for threads.

    Remembers an event for 10 days, which exceeds the retry schedule even if `Retry-After` delays attempts.
    """

    def __init__(
        self,
        max_events: int = 100_000,
        remember_seconds: float = 864_000,
        claim_seconds: float = 300,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._max_events = max_events
        self._remember_seconds = remember_seconds
        self._claim_seconds = claim_seconds
        self._now = now
        self._lock = threading.Lock()
        # Both in the order in which they expire: every entry lives equally long. Values: end, and whose claim it is.
        self._running: "OrderedDict[str, tuple[float, object]]" = OrderedDict()
        self._completed: "OrderedDict[str, tuple[float, object]]" = OrderedDict()

    def claim(self, event_id: str) -> Claim:
        mine = object()
        with self._lock:
            now = self._now()
            _forget(self._running, now, None)
            _forget(self._completed, now, self._max_events)
            if event_id in self._completed:
                return "completed"
            # Full of active claims: better to have this event retried later than to run one twice.
            if event_id in self._running or len(self._running) >= self._max_events:
                return "running"
            self._running[event_id] = (now + self._claim_seconds, mine)

        def release() -> None:
            with self._lock:
                self._end(event_id, mine)

        def complete() -> None:
            with self._lock:
                self._end(event_id, mine)
                self._completed.pop(event_id, None)
                self._completed[event_id] = (self._now() + self._remember_seconds, mine)
                _forget(self._completed, self._now(), self._max_events)

        return Claimed(complete, release)

    def _end(self, event_id: str, mine: object) -> None:
        if self._running.get(event_id, (0.0, None))[1] is mine:
            del self._running[event_id]


def _forget(entries: "OrderedDict[str, tuple[float, object]]", now: float, most: Optional[int]) -> None:
    """Drops expired entries and, oldest first, those beyond `most`."""
    while entries:
        event_id, (ends_at, _) = next(iter(entries.items()))
        if ends_at > now and (most is None or len(entries) <= most):
            return
        del entries[event_id]


@dataclass(frozen=True)
class Answer:
    """The response to the sender."""

    outcome: Outcome
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


# In seconds; the sender's own second attempt comes as soon.
_RETRY_AFTER = {"retry-after": "5"}


class Receiver:
    """Verifies a delivery, runs `on_event` once per event, and returns the response that tells the sender whether to retry.

    `receiver.receive(headers, body)` in any framework; `receiver.wsgi` is an application for a WSGI server. Errors of
    `on_event` and rejected deliveries go to the logger `surety`, or to `on_error` and `on_refused`.
    """

    def __init__(
        self,
        secrets: Secrets,
        on_event: Callable[[Event], None],
        *,
        store: Optional[DedupeStore] = None,
        tolerance_seconds: float = 300,
        max_body_bytes: int = 1_048_576,
        on_refused: Optional[Callable[[WebhookRefused], None]] = None,
        on_error: Optional[Callable[[Exception, Event], None]] = None,
    ) -> None:
        # In a closure, so that nothing prints them.
        def verified(body: Any, headers: HeadersLike) -> Event:
            return verify(body, headers, secrets, tolerance_seconds=tolerance_seconds)

        self._verify = verified
        self._on_event = on_event
        self._store = store if store is not None else MemoryStore()
        self._max_body_bytes = max_body_bytes
        self._on_refused = on_refused
        self._on_error = on_error
        self._logged: Dict[str, bool] = {}

    def receive(self, headers: HeadersLike, body: Union[BodyLike, IO[bytes], None]) -> Answer:
        """Handles a delivery. `body` is the raw body, or a binary stream that is read no further than the bound."""
        content = _read(body, self._max_body_bytes) if hasattr(body, "read") else body
        if isinstance(content, (str, bytes, bytearray, memoryview)) and len(content) > self._max_body_bytes:
            return _answer("refused", 413, {"message": f"The body has more than {self._max_body_bytes} bytes."})
        try:
            event = self._verify(content, headers)
        except WebhookRefused as refused:
            return self._refuse(refused)
        return self._work(event)

    def wsgi(self, environ: Dict[str, Any], start_response: Callable[..., Any]) -> "list[bytes]":
        """A WSGI application of its own, or the view of one path."""
        answer = _answer("refused", 405, {"message": "Deliveries are sent by POST."}, {"allow": "POST"})
        if environ["REQUEST_METHOD"] == "POST":
            headers = [(name[5:].replace("_", "-"), text) for name, text in environ.items() if name.startswith("HTTP_")]
            length = environ.get("CONTENT_LENGTH") or "0"
            known = min(int(length), self._max_body_bytes + 1) if length.isdecimal() and length.isascii() else 0
            answer = self.receive(headers, environ["wsgi.input"].read(known))
        fields = {"content-length": str(len(answer.body)), **answer.headers}
        start_response(f"{answer.status} {answer.outcome.capitalize()}", list(fields.items()))
        return [answer.body]

    def _refuse(self, refused: WebhookRefused) -> Answer:
        if self._on_refused is not None:
            self._on_refused(refused)
        elif refused.own_fault and refused.reason not in self._logged:
            # Unauthenticated senders must not be able to fill the log: each reason is logged once.
            self._logged[refused.reason] = True
            _log.error("Webhook delivery refused (%s): %s", refused.reason, refused)
        if refused.own_fault:
            return _answer("refused", 500, {"reason": refused.reason})
        return _answer("refused", 400, {"reason": refused.reason, "message": str(refused)})

    def _work(self, event: Event) -> Answer:
        try:
            claim = self._store.claim(event.id)
        except Exception as error:
            self._report(error, event)
            return _answer("failed", 503, {}, _RETRY_AFTER)
        if claim == "completed":
            return _answer("duplicate", 200)
        if not isinstance(claim, Claimed):
            return _answer("running", 503, {}, _RETRY_AFTER)
        try:
            self._on_event(event)
        except Exception as error:
            self._settle(claim.release, event)
            self._report(error, event)
            return _answer("failed", 500)
        self._settle(claim.complete, event)
        return _answer("processed", 200)

    def _settle(self, step: Callable[[], None], event: Event) -> None:
        try:
            step()
        except Exception as error:
            # A store that fails now does not change the event's outcome: the claim expires.
            self._report(error, event)

    def _report(self, error: Exception, event: Event) -> None:
        if self._on_error is not None:
            self._on_error(error, event)
        else:
            _log.error("Webhook event %s (%s) failed", event.id, event.topic, exc_info=error)


def _read(stream: Any, most: int) -> bytes:
    content = bytearray()
    while len(content) <= most:
        chunk = stream.read(min(65_536, most + 1 - len(content)))
        if not chunk:
            break
        content += chunk
    return bytes(content)


def _answer(
    outcome: Outcome, status: int, details: Mapping[str, str] = {}, headers: Mapping[str, str] = {}
) -> Answer:
    body = json.dumps({"outcome": outcome, **details}).encode()
    return Answer(outcome, status, body, {"content-type": "application/json", **headers})
