import unittest
from itertools import product
from typing import Any, Dict, List
from unittest import mock

from surety import WebhookRefused, webhooks
from surety.generated.models import RefundCompleted
from surety.testing import new_secret, sign
from tests.vectors import DELIVERIES, SIGNATURES, VectorCase, body_of

REFUND = {
    "merchantId": "merchant_1",
    "refundId": "refund_1",
    "transactionId": "payment_1",
    "amount": 2500.5,
    "currency": "NGN",
    "status": "COMPLETED",
    "completedAt": "2026-11-20T10:15:30.250Z",
}


def outcome(vector: Dict[str, Any]) -> Any:
    more = {"tolerance_seconds": vector["toleranceSeconds"]} if "toleranceSeconds" in vector else {}
    headers = [(name, value) for name, value in vector["headers"]]
    try:
        event = webhooks.verify(body_of(vector["body"]), headers, vector["secrets"], now=vector["now"], **more)
    except WebhookRefused as refused:
        return refused.reason
    found = {
        "id": event.id,
        "topic": event.topic,
        "known": event.known,
        "environment": event.environment,
        "test": event.test,
        "attempt": event.attempt,
        "timestamp": event.timestamp.timestamp(),
    }
    if "refundId" in vector["event"]:
        found["refundId"] = getattr(event.payload, "refund_id")
    if "amount" in vector["event"]:
        found["amount"] = str(getattr(event.payload, "amount"))
    return found


class Deliveries(VectorCase):
    def test_every_vector(self) -> None:
        self.assertGreater(len(DELIVERIES), 100)
        for vector in DELIVERIES:
            with self.subTest(vector["name"]):
                self.assertEqual(outcome(vector), vector.get("reason", vector.get("event")))

    def test_known_signatures(self) -> None:
        for vector in SIGNATURES:
            with self.subTest(vector["name"]):
                headers, body = sign(
                    vector["secrets"], vector["topic"], vector["body"], event_id=vector["id"], timestamp=vector["timestamp"]
                )
                self.assertEqual(headers["webhook-signature"], vector["webhookSignature"])
                self.assertEqual(headers["X-Service-Signature"], vector["serviceSignature"])
                self.assertEqual(headers["X-Service-Event-Version"], "1")
                self.assertEqual(headers["X-Service-Sequence"], f"00000001{vector['timestamp'] * 1000:016x}{'0' * 32}")
                for secret in vector["secrets"]:
                    webhooks.verify_signature(body, headers, secret, now=vector["timestamp"])
                webhooks.verify_service_signature(body, headers, vector["secrets"][-1])
                with self.assertRaises(WebhookRefused):
                    webhooks.verify_service_signature(body + b" ", headers, vector["secrets"])


class Verify(unittest.TestCase):
    def setUp(self) -> None:
        self.secret = new_secret()
        self.headers, self.body = sign(self.secret, "refund.completed", REFUND)

    def test_typed_event_by_the_own_clock(self) -> None:
        event = webhooks.verify(self.body, self.headers, self.secret)
        assert isinstance(event.payload, RefundCompleted)
        self.assertEqual(event.payload.refund_id, "refund_1")
        self.assertEqual(str(event.payload.amount), "2500.5")

    def test_headers_and_bodies_of_every_framework(self) -> None:
        lists = {name: [value] for name, value in self.headers.items()}
        raw = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        forms: List[Any] = [self.headers, lists, raw, list(self.headers.items())]
        bodies: List[webhooks.BodyLike] = [self.body, bytearray(self.body), memoryview(self.body), self.body.decode()]
        for headers, body in product(forms, bodies):
            with self.subTest((type(headers), type(body))):
                self.assertTrue(webhooks.verify(body, headers, self.secret).known)

    def test_faults_of_the_own_side(self) -> None:
        bodies: List[Any] = [None, b"", {}, {"refundId": "refund_1"}, 7]
        for body in bodies:
            with self.assertRaises(WebhookRefused) as caught:
                webhooks.verify(body, self.headers, self.secret)
            self.assertEqual((caught.exception.reason, caught.exception.own_fault), ("body_not_raw", True))
        unset: List[Any] = [None, [], [None], 7]
        for secrets in unset:
            with self.assertRaises(WebhookRefused) as caught:
                webhooks.verify(self.body, self.headers, secrets)
            self.assertEqual(caught.exception.reason, "invalid_secret")

    def test_headers_that_are_none_are_missing(self) -> None:
        wrong: List[Any] = [None, 7, "webhook-id", [], [1], {1: 2}, [("webhook-id",)]]
        for headers in wrong:
            with self.assertRaises(WebhookRefused) as caught:
                webhooks.verify(self.body, headers, self.secret)
            self.assertEqual(caught.exception.reason, "missing_headers")

    def test_a_payload_without_a_field_of_its_topic_is_refused(self) -> None:
        for payload in ("{}", '{"refundId":"refund_1"}', '{"refundId":7}'):
            headers, body = sign(self.secret, "refund.completed", payload)
            with self.assertRaises(WebhookRefused) as caught:
                webhooks.verify(body, headers, self.secret)
            self.assertEqual(caught.exception.reason, "invalid_json")

    def test_a_tolerance_that_is_no_number_rejects(self) -> None:
        with self.assertRaises(WebhookRefused):
            webhooks.verify(self.body, self.headers, self.secret, tolerance_seconds=float("nan"))
        headers, body = sign(self.secret, "refund.completed", REFUND, timestamp=999_999_999_999)
        with self.assertRaises(WebhookRefused):
            webhooks.verify(body, headers, self.secret, tolerance_seconds=float("inf"))

    def test_every_key_meets_every_signature(self) -> None:
        headers, body = sign([new_secret(), self.secret], "refund.completed", REFUND)
        with mock.patch("surety.webhooks.hmac.compare_digest", wraps=__import__("hmac").compare_digest) as compare:
            webhooks.verify(body, headers, [self.secret, new_secret(), new_secret()])
        self.assertEqual(compare.call_count, 6)

    def test_messages_have_no_secret_and_no_payload(self) -> None:
        for body, secret in ((self.body + b" ", self.secret), (self.body, self.secret + " ")):
            with self.assertRaises(WebhookRefused) as caught:
                webhooks.verify(body, self.headers, secret)
            self.assertNotIn(self.secret, str(caught.exception))
            self.assertNotIn("refund_1", str(caught.exception))
        self.assertNotIn("2500", repr(webhooks.verify(self.body, self.headers, self.secret)))
