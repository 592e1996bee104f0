<?php
// Generated from the interface's definition by `vitest -u tests/sdks`. Do not edit.

declare(strict_types=1);

namespace Surety\Operation;

use Surety\CallOptions;
use Surety\Internal\Send;
use Surety\Model\Consumer;
use Surety\Model\DataRequest;
use Surety\Model\Delivery;
use Surety\Model\Event;
use Surety\Model\EventType;
use Surety\Model\Grant;
use Surety\Model\GrantReceipt;
use Surety\Model\Identity;
use Surety\Model\Payment;
use Surety\Model\Refund;
use Surety\Model\RequestEntry;
use Surety\Model\Resend;
use Surety\Model\TestClock;
use Surety\Model\TestMerchant;
use Surety\Model\Verification;
use Surety\Model\Whoami;
use Surety\Omit;
use Surety\Pages;

/** @internal */
final class Routes
{
    /** Method, path, and whether it takes an `Idempotency-Key`. */
    public const ALL = [
        'account.whoami' => ['GET', '/v1/whoami', false],
        'dataRequests.create' => ['POST', '/v1/data-requests', true],
        'dataRequests.list' => ['GET', '/v1/data-requests', false],
        'dataRequests.get' => ['GET', '/v1/data-requests/{dataRequestId}', false],
        'dataRequests.cancel' => ['POST', '/v1/data-requests/{dataRequestId}/cancel', false],
        'identity.read' => ['GET', '/v1/identity', false],
        'refunds.create' => ['POST', '/v1/refunds', true],
        'refunds.list' => ['GET', '/v1/refunds', false],
        'refunds.get' => ['GET', '/v1/refunds/{refundId}', false],
        'verifications.submit' => ['POST', '/v1/kyc/verifications', true],
        'verifications.list' => ['GET', '/v1/kyc/verifications', false],
        'verifications.get' => ['GET', '/v1/kyc/verifications/{reference}', false],
        'verifications.submitCode' => ['POST', '/v1/kyc/verifications/{reference}/code', false],
        'events.list' => ['GET', '/v1/events', false],
        'events.get' => ['GET', '/v1/events/{eventId}', false],
        'events.deliveries' => ['GET', '/v1/events/{eventId}/deliveries', false],
        'events.resend' => ['POST', '/v1/events/{eventId}/resend', false],
        'events.types' => ['GET', '/v1/event-types', false],
        'requests.list' => ['GET', '/v1/requests', false],
        'testHelpers.createConsumer' => ['POST', '/v1/test-helpers/consumers', false],
        'testHelpers.createPayment' => ['POST', '/v1/test-helpers/payments', false],
        'testHelpers.settlePayment' => ['POST', '/v1/test-helpers/payments/{transactionId}/settle', false],
        'testHelpers.settleRefund' => ['POST', '/v1/test-helpers/refunds/{refundId}/settle', false],
        'testHelpers.approveDataRequest' => ['POST', '/v1/test-helpers/data-requests/{dataRequestId}/approve', false],
        'testHelpers.denyDataRequest' => ['POST', '/v1/test-helpers/data-requests/{dataRequestId}/deny', false],
        'testHelpers.expireDataRequest' => ['POST', '/v1/test-helpers/data-requests/{dataRequestId}/expire', false],
        'testHelpers.revokeGrant' => ['POST', '/v1/test-helpers/grants/{grantId}/revoke', false],
        'testHelpers.expireGrant' => ['POST', '/v1/test-helpers/grants/{grantId}/expire', false],
        'testHelpers.switchRefunds' => ['POST', '/v1/test-helpers/merchant', false],
        'testHelpers.clock' => ['GET', '/v1/test-helpers/clock', false],
        'testHelpers.advanceClock' => ['POST', '/v1/test-helpers/clock', false],
        'grants.list' => ['GET', '/v1/grants', false],
        'grants.get' => ['GET', '/v1/grants/{grantId}', false],
        'grants.receipts' => ['GET', '/v1/grants/{grantId}/receipts', false],
    ];

    /** Fields of requests that hold an amount. */
    public const AMOUNT_FIELDS = ['amount'];
}

/** Operations of `account`. */
final class AccountOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * Who am I? Works in every status of the merchant, so that a refused merchant can see why.
     */
    public function whoami(
        ?CallOptions $options = null,
    ): Whoami {
        return $this->send->record(
            'account.whoami',
            Whoami::of(...),
            options: $options,
        );
    }
}

/** Operations of `dataRequests`. */
final class DataRequestsOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * Ask a person for identity fields. The person decides on a hosted page, and may approve some of the
     * fields. With a TEST key, the response has its address, consentUrl; in LIVE, only the person gets it.
     * If all fields are already granted for the same purpose, the request is APPROVED immediately. While
     * the same fields are PENDING for the same purpose and duration, any key returns that record, with the
     * latest return_url and state. A repeated Idempotency-Key returns the first response, byte for byte.
     * @param list<string> $requestedFields
     */
    public function create(
        string $serviceId,
        array $requestedFields,
        ?string $purpose = null,
        string|int|float|bool|array|Omit $duration = Omit::Field,
        ?string $returnUrl = null,
        ?string $state = null,
        ?string $idempotencyKey = null,
        ?CallOptions $options = null,
    ): DataRequest {
        return $this->send->record(
            'dataRequests.create',
            DataRequest::of(...),
            body: ['service_id' => $serviceId, 'requested_fields' => $requestedFields, 'purpose' => $purpose, 'duration' => $duration, 'return_url' => $returnUrl, 'state' => $state],
            idempotencyKey: $idempotencyKey,
            options: $options,
        );
    }

    /**
     * List data requests. Newest first; only requests to one person if service_id is given.
     * @return Pages<DataRequest>
     */
    public function list(
        ?string $serviceId = null,
        ?int $limit = null,
        ?string $cursor = null,
        ?CallOptions $options = null,
    ): Pages {
        return $this->send->pages(
            'dataRequests.list',
            DataRequest::of(...),
            query: ['service_id' => $serviceId, 'limit' => $limit, 'cursor' => $cursor],
            options: $options,
        );
    }

    /**
     * Read a data request. With its status, and the grant once it is approved.
     */
    public function get(
        string $dataRequestId,
        ?CallOptions $options = null,
    ): DataRequest {
        return $this->send->record(
            'dataRequests.get',
            DataRequest::of(...),
            path: ['dataRequestId' => $dataRequestId],
            options: $options,
        );
    }

    /**
     * Cancel a data request. While it is PENDING. The person can no longer decide on it.
     */
    public function cancel(
        string $dataRequestId,
        ?CallOptions $options = null,
    ): DataRequest {
        return $this->send->record(
            'dataRequests.cancel',
            DataRequest::of(...),
            path: ['dataRequestId' => $dataRequestId],
            options: $options,
        );
    }
}

/** Operations of `identity`. */
final class IdentityOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * Read the approved fields of a person. The values are current; null if the person has none.
     * notApproved says why each other field is missing. Every read is recorded.
     * @param list<string>|Omit $fields
     */
    public function read(
        string $serviceId,
        array|Omit $fields = Omit::Field,
        ?CallOptions $options = null,
    ): Identity {
        return $this->send->record(
            'identity.read',
            Identity::of(...),
            query: ['service_id' => $serviceId, 'fields' => $fields],
            options: $options,
        );
    }
}

/** Operations of `refunds`. */
final class RefundsOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * Refund a payment. Refunds a settled wallet payment to the customer's primary wallet. Without an
     * amount the original amount is refunded. A repeated Idempotency-Key returns the first response, byte
     * for byte.
     * @param numeric-string|Omit $amount
     * @param list<array{amount: numeric-string, currency?: string, reason?: string}>|Omit $items
     */
    public function create(
        ?string $transactionId = null,
        ?string $reference = null,
        string|int|float|Omit $amount = Omit::Field,
        ?string $currency = null,
        ?string $reason = null,
        ?string $merchantReference = null,
        array|Omit $items = Omit::Field,
        ?string $idempotencyKey = null,
        ?CallOptions $options = null,
    ): Refund {
        return $this->send->record(
            'refunds.create',
            Refund::of(...),
            body: ['transaction_id' => $transactionId, 'reference' => $reference, 'amount' => $amount, 'currency' => $currency, 'reason' => $reason, 'merchant_reference' => $merchantReference, 'items' => $items],
            idempotencyKey: $idempotencyKey,
            options: $options,
        );
    }

    /**
     * List refunds. Newest first; only one payment's if transaction_id is given.
     * @return Pages<Refund>
     */
    public function list(
        ?string $transactionId = null,
        ?int $limit = null,
        ?string $cursor = null,
        ?CallOptions $options = null,
    ): Pages {
        return $this->send->pages(
            'refunds.list',
            Refund::of(...),
            query: ['transaction_id' => $transactionId, 'limit' => $limit, 'cursor' => $cursor],
            options: $options,
        );
    }

    /**
     * Read a refund. With its status. PENDING ends in COMPLETED or FAILED.
     */
    public function get(
        string $refundId,
        ?CallOptions $options = null,
    ): Refund {
        return $this->send->record(
            'refunds.get',
            Refund::of(...),
            path: ['refundId' => $refundId],
            options: $options,
        );
    }
}

/** Operations of `verifications`. */
final class VerificationsOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * Verify a person. Compares a number, and your data about the person, with the KYC provider's records.
     * Send user_id, service_id, or both. PENDING if the provider responds later: read it again.
     * REQUIRES_ACTION if the person must act, as nextAction says: enter a code, or consent on a page. A
     * number in a format that its kind never has is FAILED with id_format. A repeated Idempotency-Key
     * returns the first response, byte for byte, and is never charged twice. The body may have up to 16
     * MiB.
     * @param 'bvn'|'nin'|'vnin'|'phone'|'nin_phone' $kind
     * @param array{first_name?: string, last_name?: string, date_of_birth?: string, selfie?: string}|null
     * $validation
     */
    public function submit(
        string $kind,
        string $id,
        bool $verificationConsent,
        ?string $userId = null,
        ?string $serviceId = null,
        ?string $tier = null,
        ?array $validation = null,
        ?string $idempotencyKey = null,
        ?CallOptions $options = null,
    ): Verification {
        return $this->send->record(
            'verifications.submit',
            Verification::of(...),
            body: ['kind' => $kind, 'id' => $id, 'verification_consent' => $verificationConsent, 'user_id' => $userId, 'service_id' => $serviceId, 'tier' => $tier, 'validation' => $validation],
            idempotencyKey: $idempotencyKey,
            options: $options,
        );
    }

    /**
     * List verifications. Newest first; only of people to whom you are linked.
     * @return Pages<Verification>
     */
    public function list(
        ?int $limit = null,
        ?string $cursor = null,
        ?CallOptions $options = null,
    ): Pages {
        return $this->send->pages(
            'verifications.list',
            Verification::of(...),
            query: ['limit' => $limit, 'cursor' => $cursor],
            options: $options,
        );
    }

    /**
     * Read a verification. By reference or by providerReference, while you are linked to the person.
     */
    public function get(
        string $reference,
        ?CallOptions $options = null,
    ): Verification {
        return $this->send->record(
            'verifications.get',
            Verification::of(...),
            path: ['reference' => $reference],
            options: $options,
        );
    }

    /**
     * Submit the person's one-time code. For a verification that is REQUIRES_ACTION with a nextAction of
     * type CODE. A wrong code leaves it there; the third ends it as FAILED with code_wrong.
     */
    public function submitCode(
        string $reference,
        string $code,
        ?string $channel = null,
        ?CallOptions $options = null,
    ): Verification {
        return $this->send->record(
            'verifications.submitCode',
            Verification::of(...),
            path: ['reference' => $reference],
            body: ['code' => $code, 'channel' => $channel],
            options: $options,
        );
    }
}

/** Operations of `events`. */
final class EventsOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * List events. Newest first, of all topics or of one. With order=oldest, no event ever appears before
     * one already listed, however late it is committed. nextCursor is then present even on the last page:
     * poll with it to get every event once. It is the last event's id, so any event's id is a valid cursor.
     * Test events are not listed.
     * @param
     * 'transaction.settled'|'refund.completed'|'merchant.identity.consent_granted'|'merchant.identity.request.approved'|'merchant.identity.request.denied'|'merchant.identity.request.expired'|'merchant.identity.consent_revoked'|'merchant.identity.consent_expired'|'merchant.identity.data_changed'|'kyc.verification.completed'|'refund.failed'|'endpoint.disabled'|null
     * $topic
     * @param 'newest'|'oldest'|null $order
     * @return Pages<Event>
     */
    public function list(
        ?int $limit = null,
        ?string $cursor = null,
        ?string $topic = null,
        ?string $order = null,
        ?CallOptions $options = null,
    ): Pages {
        return $this->send->pages(
            'events.list',
            Event::of(...),
            query: ['limit' => $limit, 'cursor' => $cursor, 'topic' => $topic, 'order' => $order],
            options: $options,
        );
    }

    /**
     * Read an event. As it was delivered, with its payload.
     */
    public function get(
        string $eventId,
        ?CallOptions $options = null,
    ): Event {
        return $this->send->record(
            'events.get',
            Event::of(...),
            path: ['eventId' => $eventId],
            options: $options,
        );
    }

    /**
     * Read an event's deliveries and their attempts. One delivery for each endpoint to which the event is
     * sent.
     * @return list<Delivery>
     */
    public function deliveries(
        string $eventId,
        ?CallOptions $options = null,
    ): array {
        return $this->send->records(
            'events.deliveries',
            Delivery::of(...),
            path: ['eventId' => $eventId],
            options: $options,
        );
    }

    /**
     * Send an event again. Starts its deliveries from the beginning, with the same event id. The body is
     * optional.
     */
    public function resend(
        string $eventId,
        string|Omit $endpointId = Omit::Field,
        ?CallOptions $options = null,
    ): Resend {
        return $this->send->record(
            'events.resend',
            Resend::of(...),
            path: ['eventId' => $eventId],
            body: ['endpoint_id' => $endpointId],
            options: $options,
        );
    }

    /**
     * List topics. Every topic that an endpoint may name, with the JSON Schema of its payload. Only the
     * five marked as default are sent to an endpoint that names none.
     * @return list<EventType>
     */
    public function types(
        ?CallOptions $options = null,
    ): array {
        return $this->send->records(
            'events.types',
            EventType::of(...),
            options: $options,
        );
    }
}

/** Operations of `requests`. */
final class RequestsOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * List your requests. The requests of the last 7 days with a valid key of this environment, newest
     * first: the route and the response's status, without any value that was sent. An entry appears within
     * seconds; a crash may lose the latest entries.
     * @return Pages<RequestEntry>
     */
    public function list(
        ?int $limit = null,
        ?string $cursor = null,
        ?string $status = null,
        ?string $route = null,
        ?CallOptions $options = null,
    ): Pages {
        return $this->send->pages(
            'requests.list',
            RequestEntry::of(...),
            query: ['limit' => $limit, 'cursor' => $cursor, 'status' => $status, 'route' => $route],
            options: $options,
        );
    }
}

/** Operations of `testHelpers`. */
final class TestHelpersOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * Create a test consumer. Every field is optional, and so is the body.
     */
    public function createConsumer(
        ?string $displayName = null,
        ?string $country = null,
        ?string $email = null,
        ?bool $phoneVerified = null,
        ?bool $linked = null,
        ?bool $askLimits = null,
        ?CallOptions $options = null,
    ): Consumer {
        return $this->send->record(
            'testHelpers.createConsumer',
            Consumer::of(...),
            body: ['display_name' => $displayName, 'country' => $country, 'email' => $email, 'phone_verified' => $phoneVerified, 'linked' => $linked, 'ask_limits' => $askLimits],
            options: $options,
        );
    }

    /**
     * Create a test payment. Funds the consumer's primary wallet and pays from it. A settled one emits
     * transaction.settled. refund_outcome sets the outcome of its refunds.
     * @param numeric-string $amount
     * @param 'WALLET'|'CARD'|null $method
     * @param 'complete'|'pending'|'decline'|'unavailable'|'no_wallet'|'no_balance'|null $refundOutcome
     */
    public function createPayment(
        string $serviceId,
        string|int|float $amount,
        ?string $currency = null,
        ?string $reference = null,
        ?bool $settled = null,
        ?string $method = null,
        ?bool $fromBalance = null,
        ?string $refundOutcome = null,
        ?CallOptions $options = null,
    ): Payment {
        return $this->send->record(
            'testHelpers.createPayment',
            Payment::of(...),
            body: ['service_id' => $serviceId, 'amount' => $amount, 'currency' => $currency, 'reference' => $reference, 'settled' => $settled, 'method' => $method, 'from_balance' => $fromBalance, 'refund_outcome' => $refundOutcome],
            options: $options,
        );
    }

    /**
     * Settle a test payment. For a payment created with settled: false. Emits transaction.settled.
     */
    public function settlePayment(
        string $transactionId,
        ?CallOptions $options = null,
    ): Payment {
        return $this->send->record(
            'testHelpers.settlePayment',
            Payment::of(...),
            path: ['transactionId' => $transactionId],
            options: $options,
        );
    }

    /**
     * Settle a pending refund in the wallet's place. For a refund of a test payment with refund_outcome
     * pending. Completed emits refund.completed; failed returns the money to you and frees the
     * Idempotency-Key.
     * @param 'completed'|'failed' $outcome
     */
    public function settleRefund(
        string $refundId,
        string $outcome,
        ?CallOptions $options = null,
    ): Refund {
        return $this->send->record(
            'testHelpers.settleRefund',
            Refund::of(...),
            path: ['refundId' => $refundId],
            body: ['outcome' => $outcome],
            options: $options,
        );
    }

    /**
     * Approve a data request in the test consumer's place. Approves all requested fields, or some of them.
     * The body is optional.
     * @param list<string>|Omit $fields
     */
    public function approveDataRequest(
        string $dataRequestId,
        array|Omit $fields = Omit::Field,
        ?CallOptions $options = null,
    ): DataRequest {
        return $this->send->record(
            'testHelpers.approveDataRequest',
            DataRequest::of(...),
            path: ['dataRequestId' => $dataRequestId],
            body: ['fields' => $fields],
            options: $options,
        );
    }

    /**
     * Deny a data request in the test consumer's place. As the person would on the page. The body is
     * optional.
     */
    public function denyDataRequest(
        string $dataRequestId,
        ?CallOptions $options = null,
    ): DataRequest {
        return $this->send->record(
            'testHelpers.denyDataRequest',
            DataRequest::of(...),
            path: ['dataRequestId' => $dataRequestId],
            options: $options,
        );
    }

    /**
     * Let a pending data request expire now. The same as waiting until it expires. The body is optional.
     */
    public function expireDataRequest(
        string $dataRequestId,
        ?CallOptions $options = null,
    ): DataRequest {
        return $this->send->record(
            'testHelpers.expireDataRequest',
            DataRequest::of(...),
            path: ['dataRequestId' => $dataRequestId],
            options: $options,
        );
    }

    /**
     * Revoke a grant in the test consumer's place. Reading stops with the next call. A grant that has
     * already ended is returned unchanged.
     */
    public function revokeGrant(
        string $grantId,
        ?CallOptions $options = null,
    ): Grant {
        return $this->send->record(
            'testHelpers.revokeGrant',
            Grant::of(...),
            path: ['grantId' => $grantId],
            options: $options,
        );
    }

    /**
     * Let a grant expire now. Reading stops with the next call. A grant that has already ended is returned
     * unchanged.
     */
    public function expireGrant(
        string $grantId,
        ?CallOptions $options = null,
    ): Grant {
        return $this->send->record(
            'testHelpers.expireGrant',
            Grant::of(...),
            path: ['grantId' => $grantId],
            options: $options,
        );
    }

    /**
     * Switch your TEST refunds on or off. Off: refunds get 403 refunds_forbidden. LIVE refunds are not
     * affected.
     */
    public function switchRefunds(
        bool $refundsEnabled,
        ?CallOptions $options = null,
    ): TestMerchant {
        return $this->send->record(
            'testHelpers.switchRefunds',
            TestMerchant::of(...),
            body: ['refundsEnabled' => $refundsEnabled],
            options: $options,
        );
    }

    /**
     * Read your test clock. How far it has been moved forward.
     */
    public function clock(
        ?CallOptions $options = null,
    ): TestClock {
        return $this->send->record(
            'testHelpers.clock',
            TestClock::of(...),
            options: $options,
        );
    }

    /**
     * Move your test clock forward. Brings forward what waits in your TEST environment: the expiry of
     * requests and grants, reminders, webhook retries, KYC lookups and the sandbox's delays. 400 days in
     * all, never back. Times in records stay real, so expiresAt moves.
     */
    public function advanceClock(
        int $advanceSeconds,
        ?CallOptions $options = null,
    ): TestClock {
        return $this->send->record(
            'testHelpers.advanceClock',
            TestClock::of(...),
            body: ['advance_seconds' => $advanceSeconds],
            options: $options,
        );
    }
}

/** Operations of `grants`. */
final class GrantsOperations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

    /**
     * List grants. Newest first, including ended ones; only one person's grants if service_id is given.
     * @return Pages<Grant>
     */
    public function list(
        ?string $serviceId = null,
        ?int $limit = null,
        ?string $cursor = null,
        ?CallOptions $options = null,
    ): Pages {
        return $this->send->pages(
            'grants.list',
            Grant::of(...),
            query: ['service_id' => $serviceId, 'limit' => $limit, 'cursor' => $cursor],
            options: $options,
        );
    }

    /**
     * Read a grant. With its fields, its end, and its status.
     */
    public function get(
        string $grantId,
        ?CallOptions $options = null,
    ): Grant {
        return $this->send->record(
            'grants.get',
            Grant::of(...),
            path: ['grantId' => $grantId],
            options: $options,
        );
    }

    /**
     * List the receipts of a grant. Oldest first: one for its start and, once it has ended, one for its
     * end. Each as JSON, and as a JWS that proves it to a third party with the keys at
     * /.well-known/jwks.json.
     * @return list<GrantReceipt>
     */
    public function receipts(
        string $grantId,
        ?CallOptions $options = null,
    ): array {
        return $this->send->records(
            'grants.receipts',
            GrantReceipt::of(...),
            path: ['grantId' => $grantId],
            options: $options,
        );
    }
}

/** The groups of operations. A client extends it. */
abstract class AllOperations
{
    public readonly AccountOperations $account;
    public readonly DataRequestsOperations $dataRequests;
    public readonly IdentityOperations $identity;
    public readonly RefundsOperations $refunds;
    public readonly VerificationsOperations $verifications;
    public readonly EventsOperations $events;
    public readonly RequestsOperations $requests;
    public readonly TestHelpersOperations $testHelpers;
    public readonly GrantsOperations $grants;

    protected function __construct(Send $send)
    {
        $this->account = new AccountOperations($send);
        $this->dataRequests = new DataRequestsOperations($send);
        $this->identity = new IdentityOperations($send);
        $this->refunds = new RefundsOperations($send);
        $this->verifications = new VerificationsOperations($send);
        $this->events = new EventsOperations($send);
        $this->requests = new RequestsOperations($send);
        $this->testHelpers = new TestHelpersOperations($send);
        $this->grants = new GrantsOperations($send);
    }
}
