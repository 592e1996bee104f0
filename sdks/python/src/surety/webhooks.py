"""Distinguishes a genuine webhook delivery from a forged, altered or replayed one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._event import Event, Reason, SignedDelivery, WebhookRefused
from ._json import NotJson, parse
from .codes import MARKS, PAYLOADS, Payload

__all__ = [
    "BodyLike",
    "Event",
    "HeadersLike",
    "Reason",
    "Secrets",
    "SignedDelivery",
    "WebhookRefused",
    "verify",
    "verify_service_signature",
    "verify_signature",
]

# A mapping, as Flask, Django, Starlette and AWS Lambda have it, or pairs of a name and a value.
HeadersLike = Union[Mapping[str, Any], Iterable[Tuple[str, str]]]
# The secret as the registration showed it, or several during a rotation.
Secrets = Union[None, str, Sequence[Optional[str]]]
# The body exactly as received. A `str` stands for its UTF-8 bytes.
BodyLike = Union[bytes, bytearray, memoryview, str]

# `whsec_` and base64 with its padding, 24 to 64 bytes.
_SECRET = re.compile(r"whsec_((?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}(?:[A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LAST_SECOND = 253_402_300_799


def verify(
    body: BodyLike,
    headers: HeadersLike,
    secrets: Secrets,
    *,
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> Event:
    """The event of a genuine, recent delivery. Raises `WebhookRefused` for everything else.

    `body` is the raw body: `request.get_data()` in Flask, `request.body` in Django, `await request.body()` in Starlette.
    A delivery can arrive more than once: deduplicate by `event.id`, or use `Receiver`.
    """
    fields = _fields(headers)
    delivery = verify_signature(body, headers, secrets, tolerance_seconds=tolerance_seconds, now=now)
    topic = fields.get("x-service-event")
    if not topic:
        raise WebhookRefused("missing_headers", "X-Service-Event, which names the topic, is missing.")
    try:
        raw = parse(delivery.body)
    except NotJson:
        raise WebhookRefused(
            "invalid_json", "The body is signed, but it is not JSON in UTF-8, or has deeper nesting or more values than any event."
        ) from None
    environment = fields.get("x-service-environment")
    attempt = fields.get("x-service-delivery-attempt", "")
    return Event(
        id=delivery.id,
        topic=topic,
        payload=_payload(topic, raw),
        raw=raw,
        timestamp=delivery.timestamp,
        environment=environment if environment in ("TEST", "LIVE") else None,
        test=fields.get("x-service-test") == "true",
        attempt=int(attempt) if re.fullmatch(r"[1-9][0-9]{0,5}", attempt) else None,
    )


def verify_signature(
    body: BodyLike,
    headers: HeadersLike,
    secrets: Secrets,
    *,
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> SignedDelivery:
    """The first half of `verify`, for receivers that queue raw deliveries: checks signature, time and event id."""
    keys = _keys(secrets, _decode, "does not have the form whsec_ and base64: copy it completely, with the = at its end")
    content = _raw(body)
    fields = _fields(headers)
    event_id, timestamp = fields.get("webhook-id"), fields.get("webhook-timestamp")
    signatures = fields.get("webhook-signature")
    if not event_id or not timestamp or not signatures:
        raise WebhookRefused(
            "missing_headers",
            "webhook-id, webhook-timestamp and webhook-signature are all required: without them, a replay cannot be "
            "detected. Does a proxy drop them?",
        )
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookRefused("invalid_timestamp", "webhook-timestamp is not a number of seconds since 1970.")
    # The signature is checked before the time, so that only a genuine delivery is reported as too old or too new.
    prefix = f"{event_id}.{timestamp}.".encode("utf-8", "replace")
    given = [each[3:] for each in signatures.split(" ") if each.startswith("v1,")]
    if not _signed_by(keys, prefix + content, given, lambda digest: base64.b64encode(digest)):
        raise WebhookRefused(
            "signature_mismatch",
            "No signature matches. Either the secret is another endpoint's, or the body is not byte for byte what was "
            "sent (parsed and written again, or decoded), or the delivery is forged.",
        )
    seconds = int(timestamp)
    _check_time(seconds, time.time() if now is None else now, tolerance_seconds)
    if fields.get("x-service-event-id", event_id) != event_id:
        raise WebhookRefused("event_id_mismatch", "X-Service-Event-Id is not the webhook-id that was signed.")
    return SignedDelivery(event_id, _EPOCH + timedelta(seconds=seconds), content)


def verify_service_signature(body: BodyLike, headers: HeadersLike, secrets: Secrets) -> None:
    """Checks `X-Service-Signature` alone: lower-case hex of HMAC-SHA256 over the body.

    Not safe against replays: the signature covers neither id nor time nor topic. Use `verify` unless the sender has no
    other signature.
    """
    keys = _keys(secrets, _encode, "has white space around it: remove it")
    content = _raw(body)
    signature = _fields(headers).get("x-service-signature")
    if not signature:
        raise WebhookRefused("missing_headers", "X-Service-Signature is missing.")
    if not _signed_by(keys, content, [signature], lambda digest: digest.hex().encode()):
        raise WebhookRefused(
            "signature_mismatch",
            "X-Service-Signature does not match: another endpoint's secret, an altered body, or a forged delivery.",
        )


def _fields(headers: HeadersLike) -> Dict[str, str]:
    """Fields by name in lower case; an empty one counts as missing.

    Repeated fields are joined by a space: each of several signatures may be the right one, and any other repeated field
    no longer equals the signed value.
    """
    given: Any = headers.items() if hasattr(headers, "items") else headers
    fields: Dict[str, List[str]] = {}
    for item in given if isinstance(given, Iterable) else ():
        name, value = item if isinstance(item, (list, tuple)) and len(item) == 2 else (None, None)
        if not isinstance(name, (str, bytes)):
            continue
        texts = [value] if isinstance(value, (str, bytes)) else value if isinstance(value, (list, tuple)) else []
        known = fields.setdefault(_text(name).lower(), [])
        known.extend(_text(text) for text in texts if isinstance(text, (str, bytes)))
    return {name: " ".join(texts) for name, texts in fields.items() if " ".join(texts)}


def _text(value: Union[str, bytes]) -> str:
    # ASGI has bytes.
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _raw(body: object) -> bytes:
    content = body.encode("utf-8", "replace") if isinstance(body, str) else body
    if not isinstance(content, (bytes, bytearray, memoryview)) or len(content) == 0:
        fault = "missing or empty: other code has already read it" if not content else f"a parsed {type(body).__name__}"
        raise WebhookRefused(
            "body_not_raw",
            f"The body is {fault}. Pass the raw body. Flask: request.get_data() before request.json. "
            "Django: request.body. Starlette and FastAPI: await request.body(). "
            'AWS Lambda: event["body"], decoded if isBase64Encoded.',
        )
    return bytes(content)


def _decode(secret: str) -> Optional[bytes]:
    match = _SECRET.fullmatch(secret)
    return None if match is None else base64.b64decode(match[1])


def _encode(secret: str) -> Optional[bytes]:
    return secret.encode("utf-8", "replace") if secret.strip() == secret else None


def _keys(secrets: object, read: Callable[[str], Optional[bytes]], other_form: str) -> List[bytes]:
    given: Sequence[object] = secrets if isinstance(secrets, (list, tuple)) else [secrets]
    keys: List[bytes] = []
    for number, secret in enumerate(given, 1):
        is_given = isinstance(secret, str) and secret != ""
        key = read(secret) if isinstance(secret, str) and is_given else None
        if key is None:
            fault = other_form if is_given else "is missing: check that its setting is set"
            raise WebhookRefused("invalid_secret", f"Webhook secret {number} of {len(given)} {fault}.")
        keys.append(key)
    if not keys:
        raise WebhookRefused("invalid_secret", "The list has no webhook secret.")
    return keys


def _signed_by(keys: List[bytes], content: bytes, given: List[str], encode: Callable[[bytes], bytes]) -> bool:
    """Whether one of the keys made one of the signatures. Tries every pair, so that the time does not reveal a match.

    Encoded signatures are compared, never decoded ones: base64 has several forms for the same bytes.
    """
    found = False
    for key in keys:
        expected = encode(hmac.new(key, content, hashlib.sha256).digest())
        for signature in given:
            found = hmac.compare_digest(expected, signature.encode("utf-8", "replace")) or found
    return found


def _check_time(seconds: int, now: float, tolerance: float) -> None:
    age = int(now // 1) - seconds
    # Written so that a tolerance of NaN rejects.
    if abs(age) <= tolerance and seconds <= _LAST_SECOND:
        return
    if age > 0:
        raise WebhookRefused(
            "timestamp_too_old", f"Signed {age} s ago; {tolerance} s are allowed. Is it a replay, or is a clock wrong?"
        )
    raise WebhookRefused(
        "timestamp_too_new", f"Signed {-age} s ahead of this clock; {tolerance} s are allowed. A clock is wrong."
    )


def _payload(topic: str, raw: Any) -> Optional[Payload]:
    read = PAYLOADS.get(topic)
    if read is None:
        return None
    if not isinstance(raw, dict):
        raise WebhookRefused("invalid_json", f"The payload of {topic} is a JSON object; this body is another value.")
    if not _has_mark(topic, raw) and any(_has_mark(other, raw) for other in MARKS):
        raise WebhookRefused(
            "topic_mismatch", f"X-Service-Event says {topic}, but the signed payload belongs to another topic."
        )
    try:
        return read(raw)
    except TypeError:
        raise WebhookRefused("invalid_json", f"The body is signed, but it is not a payload of {topic}.") from None


def _has_mark(topic: str, raw: Dict[str, Any]) -> bool:
    key, value = MARKS[topic]
    return key in raw and (value is None or raw[key] == value)
