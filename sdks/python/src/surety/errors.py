"""Every error that this package raises is a `SuretyError`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Dict, Optional, Tuple, Type

if TYPE_CHECKING:
    from .generated.models import Fault, Problem


class SuretyError(Exception):
    """Base class of all errors of this package."""


class UsageError(SuretyError, ValueError):
    """An invalid call or option. Nothing was sent."""


@dataclass(frozen=True)
class CallReport:
    """Details of a failed call."""

    operation: str
    attempts: int
    request_id: str
    idempotency_key: Optional[str]
    may_have_taken_effect: bool


class CallError(SuretyError):
    """A call that did not succeed, after its last attempt."""

    def __init__(self, what: str, report: CallReport) -> None:
        times = f", {report.attempts} attempts" if report.attempts > 1 else ""
        super().__init__(f"{report.operation}: {what} (request {report.request_id}{times})")
        # Which operation, such as `refunds.create`.
        self.operation = report.operation
        # How often the request was sent.
        self.attempts = report.attempts
        # Quote it when you report a problem; it exists even without a response.
        self.request_id = report.request_id
        # The key that every attempt carried. Calling again with it never repeats the effect.
        self.idempotency_key = report.idempotency_key
        # Whether the request may have succeeded all the same. If so, call again with the same key.
        self.may_have_taken_effect = report.may_have_taken_effect


class ConnectionFailed(CallError):
    """No response: no connection, or a broken one."""


class TimedOut(CallError):
    """No response in time."""


class UnexpectedAnswer(CallError):
    """A response that is not the service's: a proxy's page, a redirect, a truncated body."""

    def __init__(self, what: str, report: CallReport, status: int, retry_after: Optional[float]) -> None:
        super().__init__(what, report)
        self.status = status
        # `Retry-After` in seconds, if the response had it.
        self.retry_after = retry_after


class ServiceProblem(CallError):
    """An error response of the service (RFC 9457). Decide by `code`; `surety.codes` has the known ones."""

    def __init__(self, report: CallReport, status: int, problem: "Problem", retry_after: Optional[float]) -> None:
        super().__init__(f"{status} {problem.code}. {problem.title}. {problem.detail}", report)
        self.status = status
        # The kind of problem, for programs. Stable.
        self.code: str = problem.code
        # The same for every problem of this code.
        self.title: str = problem.title
        # What happened this time, for people.
        self.detail: str = problem.detail
        # Every fault found in the request, with its place.
        self.errors: Tuple["Fault", ...] = problem.errors or ()
        # The whole problem, with the code's own members, such as `refundable`.
        self.problem = problem
        # `Retry-After` in seconds, if the service sent it.
        self.retry_after = retry_after


class BadRequest(ServiceProblem):
    """Status 400 and similar: the request is invalid."""


class Unauthorized(ServiceProblem):
    """Status 401: the API key is missing, mistyped or revoked."""


class Forbidden(ServiceProblem):
    """Status 403: the key is valid, but may not do this."""


class NotFound(ServiceProblem):
    """Status 404. Records of the other environment are not found either."""


class Conflict(ServiceProblem):
    """Status 409: the request conflicts with an earlier one or with the record's state."""


class TooManyRequests(ServiceProblem):
    """Status 429."""


class ServerFailure(ServiceProblem):
    """Status 500 and above: the service failed."""


class StillPending(SuretyError):
    """`wait_until_settled` reached its time limit. `record` is what was read last."""

    def __init__(self, record: object, seconds: float) -> None:
        super().__init__(f"{record!r} is still PENDING after {seconds:g} s")
        self.record = record


_FAMILIES: Dict[int, Type[ServiceProblem]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: TooManyRequests,
}


def family_of(status: int) -> Type[ServiceProblem]:
    return _FAMILIES.get(status, ServerFailure if status >= 500 else BadRequest)
