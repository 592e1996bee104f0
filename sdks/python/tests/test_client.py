import json
import pickle
import socket
import threading
import unittest
from decimal import Decimal
from typing import Any, Callable, Dict, List, Optional, Tuple, Type, Union

import surety
from surety import codes
from surety._http import NotSent, Request, Response, exchange
from surety._options import read_api_key, read_base_url, read_idempotency_key
from surety._retry import Failure, Route, may_have_taken_effect, read_retry_after, retry_delay, settles_the_outcome
from surety._send import Runtime
from surety.amounts import wire_number
from tests.vectors import CLIENT, VectorCase

KEY = "sk_test_abcdefghijklmnop"
REFUND = {
    "merchantId": "merchant_1",
    "refundId": "refund_1",
    "transactionId": "payment_1",
    "amount": 1000.5,
    "currency": "NGN",
    "status": "COMPLETED",
    "items": [{"amount": 1000.5, "currency": "NGN"}],
    "newer": {"a": 1},
}
ROUTES = {
    "read": Route("GET", "/v1/refunds", False),
    "keyed": Route("POST", "/v1/refunds", True),
    "bare": Route("POST", "/v1/test-helpers/consumers", False),
}


def answer(status: int, body: Any, **headers: str) -> Response:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    kind = "application/json" if status < 400 else "application/problem+json"
    return Response(status, {"content-type": kind, "x-request-id": "req_1", **fields}, json.dumps(body).encode())


def problem(status: int, code: str, **more: Any) -> Response:
    texts = {"type": "t", "title": "A title", "status": status, "detail": "A detail.", "instance": "/", "requestId": "r"}
    headers = {"retry_after": more.pop("retry_after")} if "retry_after" in more else {}
    return answer(status, {**texts, "code": code, **more}, **headers)


class Service:
    """A transport that gives what it is told, in order, and a client on it without real waits."""

    def __init__(self, *outcomes: Union[Response, Exception]) -> None:
        self.requests: List[Request] = []
        self.waits: List[float] = []
        self._outcomes = list(outcomes)
        self.retried: List[surety.Retry] = []
        self.client = surety.Client(KEY, "https://pay.example", transport=self.send, on_retry=self.retried.append)
        send = self.client.refunds._send
        self._time = 0.0
        send._runtime = Runtime(self.send, elapsed=lambda: self._time, sleep=self._sleep, chance=lambda: 0.5)

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self._time += seconds

    def send(self, request: Request) -> Response:
        self.requests.append(request)
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


class Vectors(VectorCase):
    def test_retries(self) -> None:
        for vector in CLIENT["retries"]:
            given, route = vector["failure"], ROUTES[vector["route"]]
            waits = given.get("retryAfterMillis")
            failure = Failure(
                given["kind"],
                given.get("status", 0),
                given.get("code", "a_code"),
                None if waits is None else waits / 1000,
                given.get("garbled", False),
                given.get("notSent", False),
                given.get("deadline", False),
                given.get("faults", False),
            )
            delays = [[retry_delay(failure, route, attempts, chance) for chance in (0, 1)] for attempts in (1, 2, 6)]
            with self.subTest(json.dumps(vector)):
                self.assertEqual(
                    [[None if each is None else each * 1000 for each in pair] for pair in delays], vector["delays"]
                )
                self.assertEqual(may_have_taken_effect(failure, route), vector["mayHaveTakenEffect"])
                self.assertEqual(settles_the_outcome(failure, route), vector["settlesTheOutcome"])

    def test_retry_after(self) -> None:
        for vector in CLIENT["retryAfter"]:
            with self.subTest(vector["header"]):
                read = read_retry_after(vector["header"], vector["nowMillis"] / 1000)
                self.assertEqual(None if read is None else read * 1000, vector["millis"])

    def test_amounts(self) -> None:
        for vector in CLIENT["amounts"]:
            with self.subTest(vector["decimal"]):
                self.assertEqual(or_none(lambda: wire_number(vector["decimal"])), vector["number"])
        for vector in CLIENT["minors"]:
            amount = surety.amount_of_minor(vector["minor"], vector["decimals"])
            self.assertEqual(wire_number(amount), vector["number"])
            self.assertEqual(surety.minor_of(amount, vector["decimals"]), vector["minor"])

    def test_options(self) -> None:
        for vector in CLIENT["baseUrls"]:
            with self.subTest(vector["given"]):
                self.assertEqual(or_none(lambda: read_base_url(vector["given"])), vector["base"])
        for vector in CLIENT["idempotencyKeys"]:
            self.assertEqual(or_none(lambda: read_idempotency_key(vector["key"])) is not None, vector["valid"])
        for vector in CLIENT["apiKeys"]:
            self.assertEqual(or_none(lambda: read_api_key(vector["key"])) is not None, vector["valid"])

    def test_path_segments(self) -> None:
        for vector in CLIENT["segments"]:
            with self.subTest(vector["id"]):
                service = Service(answer(200, REFUND))
                or_none(lambda: service.client.refunds.get(vector["id"]))
                urls = [request.url for request in service.requests]
                expected = vector["segment"] and "https://pay.example/v1/refunds/" + vector["segment"]
                self.assertEqual(urls, [expected] if expected else [])


def or_none(make: Callable[[], Any]) -> Optional[Any]:
    try:
        return make()
    except surety.UsageError:
        return None


class Calls(unittest.TestCase):
    def test_a_refund_is_sent_and_read_without_floats(self) -> None:
        service = Service(answer(201, REFUND))
        refund = service.client.refunds.create(
            transaction_id="payment_1", amount="1000.50", items=[{"amount": Decimal("1000.5")}], idempotency_key="k 1"
        )
        [request] = service.requests
        self.assertEqual(request.method + " " + request.url, "POST https://pay.example/v1/refunds")
        self.assertEqual(request.body, b'{"transaction_id":"payment_1","amount":1000.5,"items":[{"amount":1000.5}]}')
        self.assertEqual(request.headers["authorization"], f"Bearer {KEY}")
        self.assertEqual(request.headers["idempotency-key"], "k 1")
        self.assertEqual((refund.amount, refund.reference), (Decimal("1000.5"), None))
        assert refund.items is not None and refund.reply is not None
        self.assertEqual(refund.items[0].amount, Decimal("1000.5"))
        self.assertEqual(refund.raw["newer"], {"a": 1})
        self.assertEqual((refund.reply.status, refund.reply.request_id, refund.reply.attempts), (201, "req_1", 1))

    def test_an_amount_by_mistake_is_refused_before_anything_is_sent(self) -> None:
        for wrong in (None, 1000, 1000.5, "", True, Decimal("NaN"), Decimal("-1"), Decimal("1e999999"), Decimal("1e-99999")):
            service = Service()
            with self.assertRaises(surety.UsageError):
                service.client.refunds.create(transaction_id="payment_1", amount=wrong)  # type: ignore[arg-type]
        with self.assertRaises(surety.UsageError):
            Service().client.refunds.create(transaction_id="payment_1", items=None)  # type: ignore[arg-type]

    def test_a_bound_that_was_lost_is_refused_before_anything_is_sent(self) -> None:
        calls: List[Callable[[surety.Client], object]] = [
            lambda client: client.identity.read(service_id="SR1", fields=None),  # type: ignore[arg-type]
            lambda client: client.identity.read(service_id="SR1", fields=[]),
            lambda client: client.events.resend("event_1", endpoint_id=None),  # type: ignore[arg-type]
            lambda client: client.test_helpers.approve_data_request("datareq_1", fields=None),  # type: ignore[arg-type]
            lambda client: client.data_requests.create(
                service_id="SR1", requested_fields=["email"], duration=None  # type: ignore[arg-type]
            ),
        ]
        for call in calls:
            with self.assertRaises(surety.UsageError):
                call(Service().client)

    def test_a_command_without_a_field_is_sent_as_an_empty_object(self) -> None:
        service = Service(answer(201, REFUND))
        service.client.refunds.create()
        self.assertEqual(service.requests[0].body, b"{}")
        self.assertEqual(service.requests[0].headers["content-type"], "application/json")

    def test_an_empty_idempotency_key_is_refused_not_replaced(self) -> None:
        with self.assertRaises(surety.UsageError):
            Service().client.refunds.create(transaction_id="payment_1", idempotency_key="")

    def test_retries_reuse_key_and_bytes(self) -> None:
        service = Service(problem(503, "unavailable", retry_after="2"), ConnectionResetError(), answer(201, REFUND))
        refund = service.client.refunds.create(transaction_id="payment_1")
        assert refund.reply is not None
        self.assertEqual(len({request.headers["idempotency-key"] for request in service.requests}), 1)
        self.assertEqual(len({request.body for request in service.requests}), 1)
        self.assertEqual(len({request.headers["x-request-id"] for request in service.requests}), 3)
        self.assertEqual((service.waits, refund.reply.attempts), ([2.25, 0.5], 3))
        self.assertTrue(service.retried[1].error.may_have_taken_effect)

    def test_a_lost_response_leaves_the_outcome_open_until_a_rejection_settles_it(self) -> None:
        service = Service(*[TimeoutError()] * 4)
        with self.assertRaises(surety.TimedOut) as lost:
            service.client.refunds.create(transaction_id="payment_1", idempotency_key="mine")
        self.assertEqual((lost.exception.may_have_taken_effect, lost.exception.idempotency_key), (True, "mine"))
        service = Service(TimeoutError(), problem(400, codes.PAYMENT_NOT_SETTLED))
        with self.assertRaises(surety.BadRequest) as settled:
            service.client.refunds.create(transaction_id="payment_1")
        self.assertFalse(settled.exception.may_have_taken_effect)

    def test_what_has_no_key_is_repeated_only_if_it_was_not_sent(self) -> None:
        service = Service(ConnectionResetError())
        with self.assertRaises(surety.ConnectionFailed) as lost:
            service.client.test_helpers.create_consumer()
        self.assertTrue(lost.exception.may_have_taken_effect)
        self.assertEqual(len(service.requests), 1)
        service = Service(*[NotSent("refused")] * 4)
        with self.assertRaises(surety.ConnectionFailed) as never:
            service.client.test_helpers.create_consumer()
        self.assertFalse(never.exception.may_have_taken_effect)
        self.assertEqual(len(service.requests), 4)

    def test_problems_have_code_members_and_faults(self) -> None:
        fault = {"pointer": "#/amount", "detail": "Too much", "code": "too_much"}
        service = Service(problem(400, "amount_exceeds_refundable", refundable=10.5, errors=[fault]))
        with self.assertRaises(surety.BadRequest) as caught:
            service.client.refunds.create(transaction_id="payment_1", amount="11")
        self.assertEqual(caught.exception.code, codes.AMOUNT_EXCEEDS_REFUNDABLE)
        self.assertEqual(caught.exception.problem.refundable, Decimal("10.5"))
        self.assertEqual(caught.exception.errors[0].pointer, "#/amount")
        classes: List[Tuple[int, Type[surety.ServiceProblem]]] = [
            (401, surety.Unauthorized),
            (403, surety.Forbidden),
            (404, surety.NotFound),
            (409, surety.Conflict),
            (422, surety.BadRequest),
        ]
        for status, kind in classes:
            with self.assertRaises(kind):
                Service(problem(status, "a_code_of_tomorrow")).client.account.whoami()

    def test_answers_that_are_not_the_services(self) -> None:
        page = Response(200, {"content-type": "text/html"}, b"<html>")
        redirect = Response(302, {"location": "https://evil.example"}, b"")
        for response in (page, redirect, answer(404, {"a": 1}), answer(400, [])):
            with self.assertRaises(surety.UnexpectedAnswer):
                Service(response).client.refunds.get("refund_1")
        busy = Response(503, {"content-type": "text/html", "retry-after": "70"}, b"<html>")
        with self.assertRaises(surety.UnexpectedAnswer) as refused:
            Service(busy).client.refunds.get("refund_1")
        self.assertEqual((refused.exception.status, refused.exception.retry_after), (503, 70.0))
        garbled = Response(201, {"content-type": "application/json"}, b'{"refundId":')
        for response in (garbled, answer(201, {}), answer(201, []), Response(201, garbled.headers, None)):
            with self.assertRaises(surety.UnexpectedAnswer) as caught:
                Service(*[response] * 4).client.refunds.create(transaction_id="payment_1")
            self.assertTrue(caught.exception.may_have_taken_effect)

    def test_lists_walk_their_pages(self) -> None:
        def page(cursor: Optional[str], *ids: str) -> Response:
            body: Dict[str, Any] = {"data": [dict(REFUND, refundId=each) for each in ids]}
            return answer(200, dict(body, nextCursor=cursor) if cursor else body)

        service = Service(page("a", "1", "2"), page("b"), page(None, "3"), page("a", "1", "2"))
        refunds = service.client.refunds.list(transaction_id="payment_1", limit=2)
        self.assertEqual([each.refund_id for each in refunds], ["1", "2", "3"])
        queries = [request.url.partition("?")[2] for request in service.requests]
        self.assertEqual(queries[1], "transaction_id=payment_1&limit=2&cursor=a")
        self.assertEqual([each.refund_id for each in refunds.take(1)], ["1"])
        with self.assertRaises(surety.SuretyError):
            list(Service(*[page("a", "1"), page("b", "2")] * 4).client.refunds.list())
        # A list to poll keeps its cursor at its end.
        polled = Service(page("a", "1"), page("b", "2"), page("b")).client.refunds.list()
        self.assertEqual([each.refund_id for each in polled], ["1", "2"])

    def test_lists_in_a_query_have_commas(self) -> None:
        service = Service(answer(200, {"serviceId": "SR1", "fields": {"email": None}, "notApproved": {}}))
        service.client.identity.read(service_id="SR1", fields=["display_name", "email"])
        self.assertTrue(service.requests[0].url.endswith("?service_id=SR1&fields=display_name%2Cemail"))

    def test_the_deadline_ends_a_call(self) -> None:
        service = Service(*[problem(503, "unavailable", retry_after="40")] * 9)
        with self.assertRaises(surety.ServerFailure):
            service.client.account.whoami(options=surety.CallOptions(deadline=100, max_retries=9))
        self.assertEqual(len(service.requests), 3)

    def test_wait_until_settled(self) -> None:
        pending = dict(REFUND, status="PENDING")
        service = Service(answer(200, pending), answer(200, pending), answer(200, REFUND), *[answer(200, pending)] * 9)
        waits: List[float] = []
        read = lambda: service.client.refunds.get("refund_1")  # noqa: E731
        self.assertEqual(surety.wait_until_settled(read, sleep=waits.append).status, "COMPLETED")
        self.assertEqual(waits, [1.0, 1.5])
        with self.assertRaises(surety.StillPending):
            surety.wait_until_settled(read, timeout=0)


class Secrets(unittest.TestCase):
    def test_nothing_shows_the_key(self) -> None:
        service = Service(ConnectionError(f"proxy said {KEY}"))
        client = service.client
        shown: List[Any] = [client, vars(client), vars(client.refunds), vars(client.refunds._send)]
        with self.assertRaises(surety.ConnectionFailed) as caught:
            client.refunds.get("refund_1", options=surety.CallOptions(max_retries=0))
        shown += [caught.exception, vars(caught.exception), service.requests[0]]
        for each in shown:
            self.assertNotIn(KEY, f"{each} {each!r}")
        with self.assertRaises(TypeError):
            pickle.dumps(client)
        with self.assertRaises(surety.UsageError) as refused:
            surety.Client(KEY + "\n", "https://pay.example")
        self.assertNotIn(KEY, str(refused.exception))

    def test_records_do_not_print_personal_data(self) -> None:
        consumer: Dict[str, Any] = {"userId": "user_1", "serviceId": "SR1", "environment": "TEST", "phoneVerified": True}
        service = Service(answer(201, dict(consumer, email="ada@home.example", createdAt="2026")))
        self.assertNotIn("ada", repr(service.client.test_helpers.create_consumer(email="ada@home.example")))


class Wire(unittest.TestCase):
    """The real transport against sockets that misbehave."""

    def serve(self, respond: Callable[[socket.socket], None]) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def run() -> None:
            try:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65_536)
                    respond(connection)
            except OSError:
                pass

        threading.Thread(target=run, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/"

    def exchange(self, respond: Callable[[socket.socket], None], timeout: float = 10) -> Response:
        headers: Dict[str, str] = {"authorization": "Bearer x"}
        return exchange(Request("POST", self.serve(respond), headers, b"{}", timeout))

    def test_whole_and_truncated_answers(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
        self.assertEqual(self.exchange(lambda it: it.sendall(head + b"{}")).body, b"{}")
        for cut in (head + b"{", head[:5], b"", b"not http\r\n\r\n"):
            with self.assertRaises((OSError, Exception)) as caught:
                self.exchange(lambda it: it.sendall(cut))
            self.assertNotIsInstance(caught.exception, NotSent)

    def test_an_answer_that_trickles_ends_in_time(self) -> None:
        gone = threading.Event()

        def trickle(connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-A: ")
            while not gone.wait(0.05):
                connection.sendall(b"a")

        with self.assertRaises(TimeoutError):
            self.exchange(trickle, 0.4)
        gone.set()

    def test_a_body_without_end_is_left(self) -> None:
        def pour(connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            for _ in range(400):
                connection.sendall(b"[" * 65_536)

        self.assertIsNone(self.exchange(pour, 30).body)

    def test_no_connection_is_known_as_not_sent(self) -> None:
        for url in ("http://127.0.0.1:1/", "http://nothing.invalid/", "http://" + "a" * 64 + ".invalid/"):
            with self.assertRaises(NotSent):
                exchange(Request("GET", url, {}, None, 5))


if __name__ == "__main__":
    unittest.main()
