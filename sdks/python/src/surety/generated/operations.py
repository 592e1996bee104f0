# Generated from the interface's definition by `vitest -u tests/sdks`. Do not edit.
"""Every operation of the merchant interface."""

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Sequence, Tuple, TypedDict, Union

from .._options import OMITTED, CallOptions, Omitted
from .._send import Route, Send
from ..amounts import AmountLike
from ..pages import Pages
from .models import (
    Consumer,
    DataRequest,
    Delivery,
    Event,
    EventType,
    Grant,
    GrantReceipt,
    Identity,
    Payment,
    Refund,
    RequestEntry,
    Resend,
    TestClock,
    TestMerchant,
    Verification,
    Whoami,
)

ROUTES: Dict[str, Route] = {
    "account.whoami": Route("GET", "/v1/whoami", False),
    "dataRequests.create": Route("POST", "/v1/data-requests", True),
    "dataRequests.list": Route("GET", "/v1/data-requests", False),
    "dataRequests.get": Route("GET", "/v1/data-requests/{dataRequestId}", False),
    "dataRequests.cancel": Route("POST", "/v1/data-requests/{dataRequestId}/cancel", False),
    "identity.read": Route("GET", "/v1/identity", False),
    "refunds.create": Route("POST", "/v1/refunds", True),
    "refunds.list": Route("GET", "/v1/refunds", False),
    "refunds.get": Route("GET", "/v1/refunds/{refundId}", False),
    "verifications.submit": Route("POST", "/v1/kyc/verifications", True),
    "verifications.list": Route("GET", "/v1/kyc/verifications", False),
    "verifications.get": Route("GET", "/v1/kyc/verifications/{reference}", False),
    "verifications.submitCode": Route("POST", "/v1/kyc/verifications/{reference}/code", False),
    "events.list": Route("GET", "/v1/events", False),
    "events.get": Route("GET", "/v1/events/{eventId}", False),
    "events.deliveries": Route("GET", "/v1/events/{eventId}/deliveries", False),
    "events.resend": Route("POST", "/v1/events/{eventId}/resend", False),
    "events.types": Route("GET", "/v1/event-types", False),
    "requests.list": Route("GET", "/v1/requests", False),
    "testHelpers.createConsumer": Route("POST", "/v1/test-helpers/consumers", False),
    "testHelpers.createPayment": Route("POST", "/v1/test-helpers/payments", False),
    "testHelpers.settlePayment": Route("POST", "/v1/test-helpers/payments/{transactionId}/settle", False),
    "testHelpers.settleRefund": Route("POST", "/v1/test-helpers/refunds/{refundId}/settle", False),
    "testHelpers.approveDataRequest": Route("POST", "/v1/test-helpers/data-requests/{dataRequestId}/approve", False),
    "testHelpers.denyDataRequest": Route("POST", "/v1/test-helpers/data-requests/{dataRequestId}/deny", False),
    "testHelpers.expireDataRequest": Route("POST", "/v1/test-helpers/data-requests/{dataRequestId}/expire", False),
    "testHelpers.revokeGrant": Route("POST", "/v1/test-helpers/grants/{grantId}/revoke", False),
    "testHelpers.expireGrant": Route("POST", "/v1/test-helpers/grants/{grantId}/expire", False),
    "testHelpers.switchRefunds": Route("POST", "/v1/test-helpers/merchant", False),
    "testHelpers.clock": Route("GET", "/v1/test-helpers/clock", False),
    "testHelpers.advanceClock": Route("POST", "/v1/test-helpers/clock", False),
    "grants.list": Route("GET", "/v1/grants", False),
    "grants.get": Route("GET", "/v1/grants/{grantId}", False),
    "grants.receipts": Route("GET", "/v1/grants/{grantId}/receipts", False),
}


class _RefundItemRequestRequired(TypedDict):
    amount: AmountLike


class RefundItemRequest(_RefundItemRequestRequired, total=False):
    """Part of a request."""

    currency: str
    reason: str


class VerificationValidation(TypedDict, total=False):
    """Part of a request."""

    first_name: str
    last_name: str
    date_of_birth: str
    selfie: str


class AccountOperations:
    """Operations of `account`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def whoami(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> Whoami:
        """Who am I? Works in every status of the merchant, so that a refused merchant can see why."""
        return self._send.record(
            "account.whoami",
            Whoami.of,
            options=options,
        )


class DataRequestsOperations:
    """Operations of `data_requests`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def create(
        self,
        *,
        service_id: str,
        requested_fields: Sequence[str],
        purpose: Optional[str] = None,
        duration: Union[Any, Omitted] = OMITTED,
        return_url: Optional[str] = None,
        state: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> DataRequest:
        """Ask a person for identity fields. The person decides on a hosted page, and may approve some
        of the fields. With a TEST key, the response has its address, consentUrl; in LIVE, only the
        person gets it. If all fields are already granted for the same purpose, the request is
        APPROVED immediately. While the same fields are PENDING for the same purpose and duration,
        any key returns that record, with the latest return_url and state. A repeated
        Idempotency-Key returns the first response, byte for byte.
        """
        return self._send.record(
            "dataRequests.create",
            DataRequest.of,
            body={"service_id": service_id, "requested_fields": requested_fields, "purpose": purpose, "duration": duration, "return_url": return_url, "state": state},
            idempotency_key=idempotency_key,
            options=options,
        )

    def list(
        self,
        *,
        service_id: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Pages[DataRequest]:
        """List data requests. Newest first; only requests to one person if service_id is given."""
        return self._send.pages(
            "dataRequests.list",
            DataRequest.of,
            query={"service_id": service_id, "limit": limit, "cursor": cursor},
            options=options,
        )

    def get(
        self,
        data_request_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DataRequest:
        """Read a data request. With its status, and the grant once it is approved."""
        return self._send.record(
            "dataRequests.get",
            DataRequest.of,
            path={"dataRequestId": data_request_id},
            options=options,
        )

    def cancel(
        self,
        data_request_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DataRequest:
        """Cancel a data request. While it is PENDING. The person can no longer decide on it."""
        return self._send.record(
            "dataRequests.cancel",
            DataRequest.of,
            path={"dataRequestId": data_request_id},
            options=options,
        )


class IdentityOperations:
    """Operations of `identity`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def read(
        self,
        *,
        service_id: str,
        fields: Union[Sequence[str], Omitted] = OMITTED,
        options: Optional[CallOptions] = None,
    ) -> Identity:
        """Read the approved fields of a person. The values are current; null if the person has none.
        notApproved says why each other field is missing. Every read is recorded.
        """
        return self._send.record(
            "identity.read",
            Identity.of,
            query={"service_id": service_id, "fields": fields},
            options=options,
        )


class RefundsOperations:
    """Operations of `refunds`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def create(
        self,
        *,
        transaction_id: Optional[str] = None,
        reference: Optional[str] = None,
        amount: Union[AmountLike, Omitted] = OMITTED,
        currency: Optional[str] = None,
        reason: Optional[str] = None,
        merchant_reference: Optional[str] = None,
        items: Union[Sequence[RefundItemRequest], Omitted] = OMITTED,
        idempotency_key: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Refund:
        """Refund a payment. Refunds a settled wallet payment to the customer's primary wallet.
        Without an amount the original amount is refunded. A repeated Idempotency-Key returns the
        first response, byte for byte.
        """
        return self._send.record(
            "refunds.create",
            Refund.of,
            body={"transaction_id": transaction_id, "reference": reference, "amount": amount, "currency": currency, "reason": reason, "merchant_reference": merchant_reference, "items": items},
            idempotency_key=idempotency_key,
            options=options,
        )

    def list(
        self,
        *,
        transaction_id: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Pages[Refund]:
        """List refunds. Newest first; only one payment's if transaction_id is given."""
        return self._send.pages(
            "refunds.list",
            Refund.of,
            query={"transaction_id": transaction_id, "limit": limit, "cursor": cursor},
            options=options,
        )

    def get(
        self,
        refund_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Refund:
        """Read a refund. With its status. PENDING ends in COMPLETED or FAILED."""
        return self._send.record(
            "refunds.get",
            Refund.of,
            path={"refundId": refund_id},
            options=options,
        )


class VerificationsOperations:
    """Operations of `verifications`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def submit(
        self,
        *,
        kind: Literal["bvn", "nin", "vnin", "phone", "nin_phone"],
        id: str,
        verification_consent: bool,
        user_id: Optional[str] = None,
        service_id: Optional[str] = None,
        tier: Optional[str] = None,
        validation: Optional[VerificationValidation] = None,
        idempotency_key: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Verification:
        """Verify a person. Compares a number, and your data about the person, with the KYC provider's
        records. Send user_id, service_id, or both. PENDING if the provider responds later: read it
        again. REQUIRES_ACTION if the person must act, as nextAction says: enter a code, or consent
        on a page. A number in a format that its kind never has is FAILED with id_format. A
        repeated Idempotency-Key returns the first response, byte for byte, and is never charged
        twice. The body may have up to 16 MiB.
        """
        return self._send.record(
            "verifications.submit",
            Verification.of,
            body={"kind": kind, "id": id, "verification_consent": verification_consent, "user_id": user_id, "service_id": service_id, "tier": tier, "validation": validation},
            idempotency_key=idempotency_key,
            options=options,
        )

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Pages[Verification]:
        """List verifications. Newest first; only of people to whom you are linked."""
        return self._send.pages(
            "verifications.list",
            Verification.of,
            query={"limit": limit, "cursor": cursor},
            options=options,
        )

    def get(
        self,
        reference: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Verification:
        """Read a verification. By reference or by providerReference, while you are linked to the
        person.
        """
        return self._send.record(
            "verifications.get",
            Verification.of,
            path={"reference": reference},
            options=options,
        )

    def submit_code(
        self,
        reference: str,
        *,
        code: str,
        channel: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Verification:
        """Submit the person's one-time code. For a verification that is REQUIRES_ACTION with a
        nextAction of type CODE. A wrong code leaves it there; the third ends it as FAILED with
        code_wrong.
        """
        return self._send.record(
            "verifications.submitCode",
            Verification.of,
            path={"reference": reference},
            body={"code": code, "channel": channel},
            options=options,
        )


class EventsOperations:
    """Operations of `events`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        topic: Optional[Literal["transaction.settled", "refund.completed", "merchant.identity.consent_granted", "merchant.identity.request.approved", "merchant.identity.request.denied", "merchant.identity.request.expired", "merchant.identity.consent_revoked", "merchant.identity.consent_expired", "merchant.identity.data_changed", "kyc.verification.completed", "refund.failed", "endpoint.disabled"]] = None,
        order: Optional[Literal["newest", "oldest"]] = None,
        options: Optional[CallOptions] = None,
    ) -> Pages[Event]:
        """List events. Newest first, of all topics or of one. With order=oldest, no event ever
        appears before one already listed, however late it is committed. nextCursor is then present
        even on the last page: poll with it to get every event once. It is the last event's id, so
        any event's id is a valid cursor. Test events are not listed.
        """
        return self._send.pages(
            "events.list",
            Event.of,
            query={"limit": limit, "cursor": cursor, "topic": topic, "order": order},
            options=options,
        )

    def get(
        self,
        event_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Event:
        """Read an event. As it was delivered, with its payload."""
        return self._send.record(
            "events.get",
            Event.of,
            path={"eventId": event_id},
            options=options,
        )

    def deliveries(
        self,
        event_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Tuple[Delivery, ...]:
        """Read an event's deliveries and their attempts. One delivery for each endpoint to which the
        event is sent.
        """
        return self._send.records(
            "events.deliveries",
            Delivery.of,
            path={"eventId": event_id},
            options=options,
        )

    def resend(
        self,
        event_id: str,
        *,
        endpoint_id: Union[str, Omitted] = OMITTED,
        options: Optional[CallOptions] = None,
    ) -> Resend:
        """Send an event again. Starts its deliveries from the beginning, with the same event id. The
        body is optional.
        """
        return self._send.record(
            "events.resend",
            Resend.of,
            path={"eventId": event_id},
            body={"endpoint_id": endpoint_id},
            options=options,
        )

    def types(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> Tuple[EventType, ...]:
        """List topics. Every topic that an endpoint may name, with the JSON Schema of its payload.
        Only the five marked as default are sent to an endpoint that names none.
        """
        return self._send.records(
            "events.types",
            EventType.of,
            options=options,
        )


class RequestsOperations:
    """Operations of `requests`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        status: Optional[str] = None,
        route: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Pages[RequestEntry]:
        """List your requests. The requests of the last 7 days with a valid key of this environment,
        newest first: the route and the response's status, without any value that was sent. An
        entry appears within seconds; a crash may lose the latest entries.
        """
        return self._send.pages(
            "requests.list",
            RequestEntry.of,
            query={"limit": limit, "cursor": cursor, "status": status, "route": route},
            options=options,
        )


class TestHelpersOperations:
    """Operations of `test_helpers`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def create_consumer(
        self,
        *,
        display_name: Optional[str] = None,
        country: Optional[str] = None,
        email: Optional[str] = None,
        phone_verified: Optional[bool] = None,
        linked: Optional[bool] = None,
        ask_limits: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> Consumer:
        """Create a test consumer. Every field is optional, and so is the body."""
        return self._send.record(
            "testHelpers.createConsumer",
            Consumer.of,
            body={"display_name": display_name, "country": country, "email": email, "phone_verified": phone_verified, "linked": linked, "ask_limits": ask_limits},
            options=options,
        )

    def create_payment(
        self,
        *,
        service_id: str,
        amount: AmountLike,
        currency: Optional[str] = None,
        reference: Optional[str] = None,
        settled: Optional[bool] = None,
        method: Optional[Literal["WALLET", "CARD"]] = None,
        from_balance: Optional[bool] = None,
        refund_outcome: Optional[Literal["complete", "pending", "decline", "unavailable", "no_wallet", "no_balance"]] = None,
        options: Optional[CallOptions] = None,
    ) -> Payment:
        """Create a test payment. Funds the consumer's primary wallet and pays from it. A settled one
        emits transaction.settled. refund_outcome sets the outcome of its refunds.
        """
        return self._send.record(
            "testHelpers.createPayment",
            Payment.of,
            body={"service_id": service_id, "amount": amount, "currency": currency, "reference": reference, "settled": settled, "method": method, "from_balance": from_balance, "refund_outcome": refund_outcome},
            options=options,
        )

    def settle_payment(
        self,
        transaction_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Payment:
        """Settle a test payment. For a payment created with settled: false. Emits
        transaction.settled.
        """
        return self._send.record(
            "testHelpers.settlePayment",
            Payment.of,
            path={"transactionId": transaction_id},
            options=options,
        )

    def settle_refund(
        self,
        refund_id: str,
        *,
        outcome: Literal["completed", "failed"],
        options: Optional[CallOptions] = None,
    ) -> Refund:
        """Settle a pending refund in the wallet's place. For a refund of a test payment with
        refund_outcome pending. Completed emits refund.completed; failed returns the money to you
        and frees the Idempotency-Key.
        """
        return self._send.record(
            "testHelpers.settleRefund",
            Refund.of,
            path={"refundId": refund_id},
            body={"outcome": outcome},
            options=options,
        )

    def approve_data_request(
        self,
        data_request_id: str,
        *,
        fields: Union[Sequence[str], Omitted] = OMITTED,
        options: Optional[CallOptions] = None,
    ) -> DataRequest:
        """Approve a data request in the test consumer's place. Approves all requested fields, or some
        of them. The body is optional.
        """
        return self._send.record(
            "testHelpers.approveDataRequest",
            DataRequest.of,
            path={"dataRequestId": data_request_id},
            body={"fields": fields},
            options=options,
        )

    def deny_data_request(
        self,
        data_request_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DataRequest:
        """Deny a data request in the test consumer's place. As the person would on the page. The body
        is optional.
        """
        return self._send.record(
            "testHelpers.denyDataRequest",
            DataRequest.of,
            path={"dataRequestId": data_request_id},
            options=options,
        )

    def expire_data_request(
        self,
        data_request_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DataRequest:
        """Let a pending data request expire now. The same as waiting until it expires. The body is
        optional.
        """
        return self._send.record(
            "testHelpers.expireDataRequest",
            DataRequest.of,
            path={"dataRequestId": data_request_id},
            options=options,
        )

    def revoke_grant(
        self,
        grant_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Grant:
        """Revoke a grant in the test consumer's place. Reading stops with the next call. A grant that
        has already ended is returned unchanged.
        """
        return self._send.record(
            "testHelpers.revokeGrant",
            Grant.of,
            path={"grantId": grant_id},
            options=options,
        )

    def expire_grant(
        self,
        grant_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Grant:
        """Let a grant expire now. Reading stops with the next call. A grant that has already ended is
        returned unchanged.
        """
        return self._send.record(
            "testHelpers.expireGrant",
            Grant.of,
            path={"grantId": grant_id},
            options=options,
        )

    def switch_refunds(
        self,
        *,
        refunds_enabled: bool,
        options: Optional[CallOptions] = None,
    ) -> TestMerchant:
        """Switch your TEST refunds on or off. Off: refunds get 403 refunds_forbidden. LIVE refunds
        are not affected.
        """
        return self._send.record(
            "testHelpers.switchRefunds",
            TestMerchant.of,
            body={"refundsEnabled": refunds_enabled},
            options=options,
        )

    def clock(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> TestClock:
        """Read your test clock. How far it has been moved forward."""
        return self._send.record(
            "testHelpers.clock",
            TestClock.of,
            options=options,
        )

    def advance_clock(
        self,
        *,
        advance_seconds: int,
        options: Optional[CallOptions] = None,
    ) -> TestClock:
        """Move your test clock forward. Brings forward what waits in your TEST environment: the
        expiry of requests and grants, reminders, webhook retries, KYC lookups and the sandbox's
        delays. 400 days in all, never back. Times in records stay real, so expiresAt moves.
        """
        return self._send.record(
            "testHelpers.advanceClock",
            TestClock.of,
            body={"advance_seconds": advance_seconds},
            options=options,
        )


class GrantsOperations:
    """Operations of `grants`."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list(
        self,
        *,
        service_id: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Pages[Grant]:
        """List grants. Newest first, including ended ones; only one person's grants if service_id is
        given.
        """
        return self._send.pages(
            "grants.list",
            Grant.of,
            query={"service_id": service_id, "limit": limit, "cursor": cursor},
            options=options,
        )

    def get(
        self,
        grant_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Grant:
        """Read a grant. With its fields, its end, and its status."""
        return self._send.record(
            "grants.get",
            Grant.of,
            path={"grantId": grant_id},
            options=options,
        )

    def receipts(
        self,
        grant_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Tuple[GrantReceipt, ...]:
        """List the receipts of a grant. Oldest first: one for its start and, once it has ended, one
        for its end. Each as JSON, and as a JWS that proves it to a third party with the keys at
        /.well-known/jwks.json.
        """
        return self._send.records(
            "grants.receipts",
            GrantReceipt.of,
            path={"grantId": grant_id},
            options=options,
        )


class Operations:
    """The groups of operations, which a client has as attributes."""

    def __init__(self, send: Send) -> None:
        self.account = AccountOperations(send)
        self.data_requests = DataRequestsOperations(send)
        self.identity = IdentityOperations(send)
        self.refunds = RefundsOperations(send)
        self.verifications = VerificationsOperations(send)
        self.events = EventsOperations(send)
        self.requests = RequestsOperations(send)
        self.test_helpers = TestHelpersOperations(send)
        self.grants = GrantsOperations(send)
