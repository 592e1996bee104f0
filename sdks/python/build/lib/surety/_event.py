"""What verifying a delivery comes to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Optional

from .codes import Payload
from .errors import SuretyError

Reason = Literal[
    "missing_headers",
    "invalid_timestamp",
    "signature_mismatch",
    "timestamp_too_old",
    "timestamp_too_new",
    "event_id_mismatch",
    "topic_mismatch",
    "invalid_json",
    "body_not_raw",
    "invalid_secret",
]


class WebhookRefused(SuretyError):
    """A delivery was rejected. `reason` is stable; the message is for a log and has no secret and no payload.

    `body_not_raw` and `invalid_secret` are faults on your own side.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason

    @property
    def own_fault(self) -> bool:
        return self.reason in ("body_not_raw", "invalid_secret")


@dataclass(frozen=True, repr=False)
class Event:
    """A verified delivery. `payload` has the type of its topic; a topic newer than this package has `None`."""

    # The same in every attempt and at every endpoint: what to deduplicate by. Signed.
    id: str
    topic: str
    payload: Optional[Payload]
    # The payload's JSON, also of an unknown topic.
    raw: Any
    # When this attempt was signed. Signed.
    timestamp: datetime
    # From a header that no signature covers; None if it is missing or has another value.
    environment: Optional[str]
    # A requested sample: nothing happened. From a header that no signature covers.
    test: bool
    # 1 for the first attempt. From a header that no signature covers.
    attempt: Optional[int]

    @property
    def known(self) -> bool:
        return self.payload is not None

    def __repr__(self) -> str:
        return f"Event(id={self.id!r}, topic={self.topic!r})"


@dataclass(frozen=True, repr=False)
class SignedDelivery:
    """A delivery with a valid signature and time. Its body has not been parsed."""

    id: str
    timestamp: datetime
    body: bytes
