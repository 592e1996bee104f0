"""Signed deliveries for tests of your receiver, without the service."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets as random
import time
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from .webhooks import _decode


def new_secret() -> str:
    """A secret in the format of a registered endpoint's."""
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


def sign(
    secrets: Union[str, Sequence[str]],
    topic: str,
    payload: Union[str, bytes, Mapping[str, Any]],
    *,
    event_id: Optional[str] = None,
    timestamp: Optional[int] = None,
    environment: str = "TEST",
    attempt: int = 1,
    sequence: Optional[str] = None,
) -> Tuple[Dict[str, str], bytes]:
    """Headers and body of a delivery as the service sends it. Pass the same `event_id` again for a repeated one.

    `sequence` is by default of the event's time, so that later events sort behind earlier ones.
    """
    names = [secrets] if isinstance(secrets, str) else list(secrets)
    body = payload if isinstance(payload, bytes) else (payload if isinstance(payload, str) else json.dumps(payload)).encode()
    number = event_id or "event_0" + "".join(random.choice("0123456789abcdefghjkmnpqrstvwxyz") for _ in range(25))
    milliseconds = int(time.time() * 1000) if timestamp is None else timestamp * 1000
    seconds = str(milliseconds // 1000)
    signatures = []
    for name in names:
        key = _decode(name)
        if key is None:
            raise ValueError("The secret does not have the form whsec_ and base64.")
        digest = hmac.new(key, f"{number}.{seconds}.".encode() + body, hashlib.sha256).digest()
        signatures.append("v1," + base64.b64encode(digest).decode())
    return {
        "content-type": "application/json",
        "user-agent": "Service-Webhooks/1.0",
        "X-Service-Signature": hmac.new(names[-1].encode(), body, hashlib.sha256).hexdigest(),
        "X-Service-Event": topic,
        "X-Service-Event-Id": number,
        "X-Service-Event-Version": "1",
        "X-Service-Sequence": f"00000001{milliseconds:016x}{0:032x}" if sequence is None else sequence,
        "X-Service-Environment": environment,
        "X-Service-Delivery-Attempt": str(attempt),
        "webhook-id": number,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(signatures),
    }, body
