import io
import threading
import unittest
from typing import Any, List

from surety import Answer, Claimed, DedupeStore, MemoryStore, Receiver
from surety.receiver import Claim
from surety.testing import new_secret, sign
from surety.webhooks import Event, WebhookRefused
from tests.test_webhooks import REFUND


class BrokenStore(DedupeStore):
    def claim(self, event_id: str) -> Claim:
        raise OSError("down")


class Receive(unittest.TestCase):
    def setUp(self) -> None:
        self.secret = new_secret()
        self.headers, self.body = sign(self.secret, "refund.completed", REFUND)
        self.seen: List[Event] = []

    def receiver(self, **options: Any) -> Receiver:
        return Receiver(self.secret, self.seen.append, **options)

    def test_work_runs_once_per_event(self) -> None:
        receiver = self.receiver()
        answers = [receiver.receive(self.headers, self.body) for _ in range(3)]
        self.assertEqual([answer.outcome for answer in answers], ["processed", "duplicate", "duplicate"])
        self.assertEqual([answer.status for answer in answers], [200, 200, 200])
        self.assertEqual(len(self.seen), 1)

    def test_failed_work_runs_again(self) -> None:
        errors: List[Exception] = []

        def fail_once(event: Event) -> None:
            self.seen.append(event)
            if len(self.seen) == 1:
                raise RuntimeError("the database is down")

        receiver = Receiver(self.secret, fail_once, on_error=lambda error, _: errors.append(error))
        answers = [receiver.receive(self.headers, self.body) for _ in range(3)]
        self.assertEqual([answer.status for answer in answers], [500, 200, 200])
        self.assertEqual([len(self.seen), len(errors)], [2, 1])

    def test_running_work_is_not_started_twice(self) -> None:
        started, ended = threading.Event(), threading.Event()

        def wait(event: Event) -> None:
            self.seen.append(event)
            started.set()
            ended.wait(10)

        receiver = Receiver(self.secret, wait)
        thread = threading.Thread(target=receiver.receive, args=(self.headers, self.body))
        thread.start()
        started.wait(10)
        answer = receiver.receive(self.headers, self.body)
        ended.set()
        thread.join()
        self.assertEqual((answer.outcome, answer.status, answer.headers["retry-after"]), ("running", 503, "5"))
        self.assertEqual(len(self.seen), 1)

    def test_rejections(self) -> None:
        refused: List[WebhookRefused] = []
        receiver = self.receiver(on_refused=refused.append)
        self.assertEqual(receiver.receive(self.headers, self.body + b" ").status, 400)
        self.assertEqual(receiver.receive(self.headers, b"").status, 500)
        self.assertEqual([each.reason for each in refused], ["signature_mismatch", "body_not_raw"])
        self.assertEqual(self.receiver(store=BrokenStore(), on_error=lambda *_: None).receive(self.headers, self.body).status, 503)
        self.assertEqual(self.seen, [])

    def test_a_body_is_read_no_further_than_its_bound(self) -> None:
        stream = io.BytesIO(b"x" * 10_000)
        self.assertEqual(self.receiver(max_body_bytes=1000).receive(self.headers, stream).status, 413)
        self.assertEqual(stream.tell(), 1001)
        self.assertEqual(self.receiver(max_body_bytes=1000).receive(self.headers, b"x" * 1001).status, 413)
        self.assertEqual(self.receiver().receive(self.headers, io.BytesIO(self.body)).status, 200)

    def test_wsgi(self) -> None:
        told: List[Any] = []
        environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in self.headers.items()}
        environ.update({"REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(len(self.body))})
        receiver = self.receiver()
        receiver.wsgi({**environ, "wsgi.input": io.BytesIO(self.body)}, lambda *given: told.append(given))
        receiver.wsgi({**environ, "REQUEST_METHOD": "GET"}, lambda *given: told.append(given))
        self.assertEqual([status for status, _ in told], ["200 Processed", "405 Refused"])

    def test_nothing_prints_the_secret(self) -> None:
        receiver = self.receiver()
        self.assertNotIn(self.secret, repr(receiver) + repr(vars(receiver)))


class Memory(unittest.TestCase):
    def test_claims_end_and_are_not_released_by_their_predecessor(self) -> None:
        now = [0.0]
        store = MemoryStore(now=lambda: now[0])
        first = store.claim("event_1")
        assert isinstance(first, Claimed)
        self.assertEqual(store.claim("event_1"), "running")
        now[0] = 300
        second = store.claim("event_1")
        assert isinstance(second, Claimed)
        first.release()
        self.assertEqual(store.claim("event_1"), "running")
        second.complete()
        self.assertEqual(store.claim("event_1"), "completed")
        now[0] = 300 + 864_000 - 1  # ten days, beyond the last attempt that a Retry-After can delay
        self.assertEqual(store.claim("event_1"), "completed")
        now[0] += 1
        self.assertIsInstance(store.claim("event_1"), Claimed)

    def test_it_is_bounded(self) -> None:
        store = MemoryStore(max_events=2)
        claims = [store.claim(name) for name in ("a", "b")]
        self.assertEqual(store.claim("c"), "running")
        for claim in claims:
            assert isinstance(claim, Claimed)
            claim.complete()
        third = store.claim("c")
        assert isinstance(third, Claimed)
        third.complete()
        self.assertEqual([store.claim(name) == "completed" for name in ("b", "c")], [True, True])
        self.assertIsInstance(store.claim("a"), Claimed)

    def test_one_of_many_threads_gets_the_claim(self) -> None:
        store, got = MemoryStore(), []

        def claim() -> None:
            got.append(isinstance(store.claim("event_1"), Claimed))

        threads = [threading.Thread(target=claim) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(got), 1)


_ = Answer
