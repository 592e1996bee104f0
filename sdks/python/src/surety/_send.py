"""Calls: one attempt after the other, as long as it makes sense."""

from __future__ import annotations

import http.client
import random
import re
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from . import errors
from ._http import NotSent, Request, Response, Transport
from ._json import NotJson, parse, write
from ._options import OMITTED, CallOptions, Patience, read_idempotency_key, read_patience
from ._record import Record, Reply, with_reply
from ._retry import Failure, Route, may_have_taken_effect, read_retry_after, retry_delay, settles_the_outcome
from .pages import Page, Pages

__all__ = ["Route", "Send"]

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Runtime:
    """What a call takes from its surroundings; tests replace it."""

    transport: Transport
    elapsed: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    new_id: Callable[[], str] = lambda: str(uuid.uuid4())


@dataclass(frozen=True)
class Retry:
    """A failed attempt, and in how many seconds the next one follows."""

    error: errors.CallError
    delay: float


@dataclass(frozen=True)
class _Success:
    data: Any
    reply: Reply


@dataclass(frozen=True)
class _Failed:
    failure: Failure
    to_error: Callable[[errors.CallReport], errors.CallError]
    request_id: Optional[str] = None


class Send:
    """Sends operations under one key. The key is only in a closure, so nothing prints it."""

    def __init__(
        self,
        authorization: Callable[[], str],
        base_url: str,
        patience: Patience,
        runtime: Runtime,
        on_retry: Optional[Callable[[Retry], None]],
    ) -> None:
        self._authorization = authorization
        self._base_url = base_url
        self._patience = patience
        self._runtime = runtime
        self._on_retry = on_retry

    def record(self, operation: str, read: Callable[[Any], R], **given: Any) -> R:
        record: R = self._call(operation, lambda data, reply: with_reply(read(data), reply), **given)
        return record

    def records(self, operation: str, read: Callable[[Any], R], **given: Any) -> Tuple[R, ...]:
        def of(data: Any, reply: Reply) -> Tuple[R, ...]:
            return tuple(with_reply(read(member), reply) for member in _list_in(data))

        found: Tuple[R, ...] = self._call(operation, of, **given)
        return found

    def pages(self, operation: str, read: Callable[[Any], R], query: Mapping[str, Any], **given: Any) -> Pages[R]:
        def of(data: Any, reply: Reply) -> Page[R]:
            cursor = data.get("nextCursor")
            if not (cursor is None or isinstance(cursor, str)):
                raise TypeError("not a cursor")
            return Page(tuple(with_reply(read(member), reply) for member in _list_in(data)), cursor, reply)

        def page(cursor: Optional[str]) -> Page[R]:
            asked = query if cursor is None else {**query, "cursor": cursor}
            found: Page[R] = self._call(operation, of, query=asked, **given)
            return found

        return Pages(page)

    def _call(
        self,
        operation: str,
        read: Callable[[Any, Reply], Any],
        path: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        from .codes import AMOUNT_FIELDS, BOUND_FIELDS, MONEY_FIELDS
        from .generated.operations import ROUTES

        route = ROUTES[operation]
        url = self._base_url + _path(route.path, path or {}) + _query(_meant(query or {}, MONEY_FIELDS, BOUND_FIELDS))
        # Written once: every attempt sends the same bytes.
        payload = _body(_meant(body or {}, MONEY_FIELDS, BOUND_FIELDS), AMOUNT_FIELDS, route.keyed)
        chosen = self._runtime.new_id() if idempotency_key is None else idempotency_key
        key = read_idempotency_key(chosen) if route.keyed else None
        patience = read_patience(options, self._patience)
        return self._run(_Call(operation, route, url, payload, key, patience, read))

    def _run(self, call: "_Call") -> Any:
        runtime, patience = self._runtime, call.patience
        ends_at = runtime.elapsed() + patience.deadline
        is_open = False
        attempts = 0
        while True:
            attempts += 1
            own_id = runtime.new_id()
            outcome = self._attempt(call, own_id, attempts, ends_at)
            if isinstance(outcome, _Success):
                return outcome.data
            failure = outcome.failure
            settled = settles_the_outcome(failure, call.route)
            is_open = not settled and (is_open or may_have_taken_effect(failure, call.route))
            report = errors.CallReport(call.operation, attempts, outcome.request_id or own_id, call.key, is_open)
            error = outcome.to_error(report)
            delay = None if attempts > patience.max_retries else retry_delay(failure, call.route, attempts, runtime.chance())
            if delay is None or runtime.elapsed() + delay >= ends_at:
                raise error
            self._tell(Retry(error, delay))
            runtime.sleep(delay)

    def _tell(self, retry: Retry) -> None:
        if self._on_retry is None:
            return
        try:
            self._on_retry(retry)
        except Exception:
            # A failing logger must not hide a refund's outcome from the caller.
            pass

    def _attempt(self, call: "_Call", own_id: str, attempts: int, ends_at: float) -> Union[_Success, _Failed]:
        left = max(0.0, ends_at - self._runtime.elapsed())
        deadline = left <= call.patience.timeout
        limit = call.patience.deadline if deadline else call.patience.timeout
        headers = {
            "accept": "application/json, application/problem+json",
            "authorization": f"Bearer {self._authorization()}",
            "user-agent": "Service-Client-Python/1.0",
            "x-request-id": own_id,
        }
        if call.body is not None:
            headers["content-type"] = "application/json"
        if call.key is not None:
            headers["idempotency-key"] = call.key
        request = Request(call.route.method, call.url, headers, call.body, left if deadline else limit)

        def no_answer(failure: Failure, said: str) -> _Failed:
            told = f"no response arrived: {said.replace(self._authorization(), 'sk_…') or 'the system does not say why'}"
            return _Failed(failure, lambda report: errors.ConnectionFailed(told, report))

        try:
            response = self._runtime.transport(request)
        except NotSent as error:
            return no_answer(Failure("silence", not_sent=True), str(error))
        except TimeoutError:
            what = f"no response arrived within the {limit:g} s that {'a call' if deadline else 'an attempt'} may take"
            return _Failed(Failure("timeout", deadline=deadline), lambda report: errors.TimedOut(what, report))
        except (OSError, http.client.HTTPException) as error:
            return no_answer(Failure("silence"), f"{type(error).__name__} {error}".strip())
        return _read_answer(call, response, own_id, attempts, self._runtime.now())


@dataclass(frozen=True)
class _Call:
    operation: str
    route: Route
    url: str
    body: Optional[bytes]
    key: Optional[str]
    patience: Patience
    read: Callable[[Any, Reply], Any]


def _read_answer(call: _Call, response: Response, own_id: str, attempts: int, now: float) -> Union[_Success, _Failed]:
    from .generated.models import Problem

    status, headers = response.status, response.headers
    request_id = headers.get("x-request-id")
    media_type = headers.get("content-type", "none").split(";", 1)[0].strip()
    waits = read_retry_after(headers.get("retry-after"), now)
    succeeded = 200 <= status < 300

    def unexpected(what: str, garbled: bool = False) -> _Failed:
        failure = Failure("unexpected", status, retry_after=waits, garbled=garbled)
        return _Failed(failure, lambda report: errors.UnexpectedAnswer(what, report, status, waits), request_id)

    if 300 <= status < 400:
        return unexpected("got a redirect, which is not followed because it would pass on the API key: check base_url")
    if not re.search(r"[/+]json\Z", media_type):
        return unexpected(
            f"got {status} with a body of type {media_type[:100]}, which is not the service's: "
            "check base_url and any proxy in between"
        )
    if response.body is None:
        return unexpected(f"got {status} with a body that is too long", succeeded)
    try:
        data = parse(response.body)
        if succeeded:
            replayed = headers.get("idempotent-replayed") == "true"
            reply = Reply(status, request_id or own_id, attempts, replayed, call.key)
            return _Success(call.read(data, reply), reply)
        problem = Problem.of(data)
    except (NotJson, TypeError, AttributeError):
        if succeeded:
            return unexpected(f"got {status} with an incomplete body", True)
        return unexpected(f"got {status} with JSON that is not a problem of the service")
    failure = Failure("problem", status, problem.code, waits, faults=bool(problem.errors))
    family = errors.family_of(status)
    return _Failed(failure, lambda report: family(report, status, problem, waits), request_id)


def _list_in(data: Any) -> List[Any]:
    records = data.get("data")
    if not isinstance(records, list):
        raise TypeError("not a list")
    return records


def _path(path: str, values: Mapping[str, str]) -> str:
    def segment(match: "re.Match[str]") -> str:
        value = {_camel(name): given for name, given in values.items()}.get(match[1])
        # A dot segment would select another route, an empty one none.
        if not isinstance(value, str) or re.fullmatch(r"\.{0,2}", value):
            raise errors.UsageError(f"{match[1]} must be a record's id, as returned by the service.")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", segment, path)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def _query(query: Mapping[str, Any]) -> str:
    def text(value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return ",".join(value)
        return str(value).lower() if isinstance(value, bool) else str(value)

    asked = {name: text(value) for name, value in query.items()}
    return f"?{urlencode(asked)}" if asked else ""


def _meant(given: Mapping[str, Any], money_fields: FrozenSet[str], bound_fields: FrozenSet[str]) -> Dict[str, Any]:
    """The fields with a value. A field without which the request does the most is left out, never None."""
    meant: Dict[str, Any] = {}
    for name, value in given.items():
        if value is OMITTED:
            continue
        if value is None and name in money_fields:
            raise errors.UsageError(f"{name} is None: pass a value, or omit it. Without both, the whole payment is refunded.")
        if name in bound_fields and (value is None or value == [] or value == ()):
            raise errors.UsageError(f"{name} is {value}: pass a value, or omit it. Without it, the call does the most.")
        if value is not None:
            meant[name] = value
    return meant


def _body(given: Mapping[str, Any], amount_fields: FrozenSet[str], required: bool) -> Optional[bytes]:
    """None without a field, unless the route needs a body: its answer then names what is missing."""
    return write(given, amount_fields).encode() if given or required else None
