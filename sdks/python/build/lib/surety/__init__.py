"""Client and webhook verifier for merchants of Surety."""

from . import codes, webhooks
from ._options import OMITTED, CallOptions
from ._record import Record, Reply
from ._send import Retry
from .amounts import AmountLike, amount_of, amount_of_minor, minor_of
from .client import Client, wait_until_settled
from .errors import (
    BadRequest,
    CallError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    NotFound,
    ServerFailure,
    ServiceProblem,
    StillPending,
    SuretyError,
    TimedOut,
    TooManyRequests,
    Unauthorized,
    UnexpectedAnswer,
    UsageError,
)
from .pages import Page, Pages
from .receiver import Answer, Claimed, DedupeStore, MemoryStore, Receiver
from .webhooks import WebhookRefused

__all__ = [
    "OMITTED",
    "AmountLike",
    "Answer",
    "BadRequest",
    "CallError",
    "CallOptions",
    "Claimed",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "DedupeStore",
    "Forbidden",
    "MemoryStore",
    "NotFound",
    "Page",
    "Pages",
    "Receiver",
    "Record",
    "Reply",
    "Retry",
    "ServerFailure",
    "ServiceProblem",
    "StillPending",
    "SuretyError",
    "TimedOut",
    "TooManyRequests",
    "Unauthorized",
    "UnexpectedAnswer",
    "UsageError",
    "WebhookRefused",
    "amount_of",
    "amount_of_minor",
    "codes",
    "minor_of",
    "wait_until_settled",
    "webhooks",
]
