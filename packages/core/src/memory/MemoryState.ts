import { Context, type DateTime, Layer } from "effect"
import type { CodeChallenge } from "../consent/admission/decideCode.js"
import type { AskingBlock } from "../consent/asking/AskingBlock.js"
import type { Grant } from "../consent/grant/Grant.js"
import type { ConsentLink, ConsentTokenHash } from "../consent/link/ConsentToken.js"
import type { ManagementLink } from "../consent/link/ManagementLink.js"
import type { IdentityRead } from "../consent/read/IdentityRead.js"
import type { Receipt } from "../consent/receipt/Receipt.js"
import type { ChainHead } from "../consent/receipt/ReceiptChain.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { Consumer, ConsumerLink } from "../consumer/Consumer.js"
import type { Environment } from "../Environment.js"
import type { Delivery, DeliveryAttempt } from "../event/Delivery.js"
import type { SequencedEvent } from "../event/DomainEvent.js"
import type { FeedEvent } from "../event/PlatformFeed.js"
import type { WebhookEndpoint } from "../event/WebhookEndpoint.js"
import type {
  DataRequestId,
  EndpointId,
  EventId,
  GrantId,
  IdentityReadId,
  MerchantId,
  OperatorActionId,
  PaymentId,
  ProposalId,
  ReceiptId,
  RefundId,
  RightsRequestId,
  TransferId,
  VerificationId
} from "../Ids.js"
import type { Fingerprint } from "../idempotency/Fingerprint.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { KycEvidence } from "../kyc/evidence/KycEvidence.js"
import type { Verification } from "../kyc/verification/Verification.js"
import type { PartBalance } from "../ledger/Account.js"
import type { AuditRun } from "../ledger/AuditRun.js"
import type { OperatorTransfer } from "../ledger/OperatorTransfer.js"
import type { Transfer } from "../ledger/Transfer.js"
import type { ApiKey, ApiKeyHash } from "../merchant/ApiKey.js"
import type { Merchant, MerchantScope, MerchantStatusChange } from "../merchant/Merchant.js"
import type { Proposal } from "../operator/approval/Proposal.js"
import type { OperatorAction } from "../operator/OperatorAction.js"
import type { OperatorSession, SessionTokenHash } from "../operator/session/OperatorSession.js"
import type { HourCount } from "../overview/OverviewLog.js"
import type { Payment, PlayedOutcome } from "../payment/Payment.js"
import type { HeldPerson } from "../person/HeldPerson.js"
import type { RightsRequest } from "../person/RightsRequest.js"
import type { Refund } from "../refund/Refund.js"
import type { RequestEntry } from "../request/RequestEntry.js"
import type { SandboxSettings } from "../sandbox/SandboxStore.js"
import type { SealedSecret } from "../secret/Keyring.js"
import type { StoredHostRequest } from "./host/StoredHostRequest.js"

export interface StoredRefund {
  readonly refund: Refund
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
  readonly answer: string | undefined
  /** Increases with each lease. */
  readonly fence: number
  readonly leasedUntil: DateTime.Utc | undefined
  readonly played: PlayedOutcome | undefined
}

export interface StoredDataRequest {
  readonly request: DataRequest
  /** Undefined once the keys and the response are deleted. */
  readonly kept: { readonly answer: string } | undefined
  readonly link: ConsentLink | undefined
  /** When to send the next notification. Undefined if no further one is planned. */
  readonly notifyAt: DateTime.Utc | undefined
}

/** An idempotency key for a data request: the key that created the request, or a later key that found it pending. */
export interface StoredDataRequestKey {
  readonly requestId: DataRequestId
  readonly fingerprint: Fingerprint
  readonly keptSince: DateTime.Utc
}

export interface StoredVerification {
  readonly verification: Verification
  /** Undefined once the key and response are deleted. */
  readonly kept:
    | {
        readonly idempotencyKey: IdempotencyKey
        readonly fingerprint: Fingerprint
        readonly answer: string | undefined
      }
    | undefined
  /** Increases with each lease, and when the person is erased. */
  readonly fence: number
  readonly looks: number
  readonly codes: number
  /** When the next lookup is due. Undefined once the verification has ended. */
  readonly dueAt: DateTime.Utc | undefined
  readonly leasedUntil: DateTime.Utc | undefined
}

export interface StoredEvent {
  readonly event: SequencedEvent
  readonly cause: string
}

/** Unconfirmed events in the platform's feed, of one merchant or of no merchant, with their lease. */
export interface StoredStream {
  /** In commit order. */
  readonly unsent: ReadonlyArray<FeedEvent>
  readonly failures: number
  readonly retryAt: DateTime.Utc | undefined
  readonly fence: number
  readonly leasedUntil: DateTime.Utc | undefined
}

export interface StoredProposal {
  readonly proposal: Proposal
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
}

export interface StoredHour {
  readonly countedAt: DateTime.Utc
  readonly counts: ReadonlyArray<HourCount & { readonly environment: Environment }>
}

export interface StoredDelivery {
  readonly delivery: Delivery
  /** Oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
  readonly fence: number
  /** When the lease with `fence` ends. Undefined if not leased. */
  readonly leasedUntil: DateTime.Utc | undefined
}

/**
 * The contents of the memory stores, except rate limit buckets and verified ends of receipt chains. Records are
 * immutable; the maps are not. Most composite keys are built by the functions in this file.
 *
 * A memory store checks a change's constraints and stores the change in one synchronous step. An effect passed by the
 * caller, for example to `OperatorActionStore.commit`, is not part of that step.
 */
export class MemoryState extends Context.Service<
  MemoryState,
  {
    readonly merchants: Map<MerchantId, Merchant>
    /** Status changes, oldest first. */
    readonly merchantHistory: Map<MerchantId, ReadonlyArray<MerchantStatusChange>>
    readonly apiKeys: Map<ApiKeyHash, ApiKey>
    /** Keyed by `environmentKey` of the user id. */
    readonly consumers: Map<string, Consumer>
    /** Maps `environmentKey` of the service id to `environmentKey` of the user id. */
    readonly consumersByServiceId: Map<string, string>
    /** Keyed by `scopedKey` of the user id. */
    readonly consumerLinks: Map<string, ConsumerLink>
    /** Keyed by `scopedKey` of the payment id. */
    readonly payments: Map<string, Payment>
    /** Keyed by `scopedKey` of the reference. */
    readonly paymentsByReference: Map<string, PaymentId>
    readonly refunds: Map<RefundId, StoredRefund>
    /** Keyed by `scopedKey` of the idempotency key. Excludes failed refunds. */
    readonly refundsByKey: Map<string, RefundId>
    readonly dataRequests: Map<DataRequestId, StoredDataRequest>
    /** Keyed by `scopedKey` of the idempotency key. Excludes deleted keys. */
    readonly dataRequestsByKey: Map<string, StoredDataRequestKey>
    /** Keyed by `scopedKey` of the user id. Includes lifted blocks. */
    readonly askingBlocks: Map<string, AskingBlock>
    readonly grants: Map<GrantId, Grant>
    readonly receipts: Map<ReceiptId, Receipt>
    /** End of each chain, keyed by `scopedKey` of the empty string. */
    readonly receiptChains: Map<string, ChainHead>
    readonly identityReads: Map<IdentityReadId, IdentityRead>
    readonly managementLinks: Map<ConsentTokenHash, ManagementLink>
    readonly codeChallenges: Map<ConsentTokenHash, CodeChallenge>
    readonly verifications: Map<VerificationId, StoredVerification>
    /** Keyed by `scopedKey` of the idempotency key. Excludes deleted keys. */
    readonly verificationsByKey: Map<string, VerificationId>
    readonly kycEvidence: Map<VerificationId, KycEvidence>
    readonly transfers: Map<TransferId, Transfer>
    /** Parts of accounts, keyed by `accountPartText`. */
    readonly accounts: Map<string, PartBalance>
    readonly endpoints: Map<EndpointId, WebhookEndpoint>
    readonly events: Map<EventId, StoredEvent>
    /** Keyed by `deliveryKey`. */
    readonly deliveries: Map<string, StoredDelivery>
    /** Claim times of deliveries to an endpoint with a rate limit, oldest first. Only the last second counts. */
    readonly claimTimes: Map<EndpointId, ReadonlyArray<DateTime.Utc>>
    /** Keyed by the secret key's id. */
    readonly keyCanaries: Map<string, SealedSecret>
    /** Number of whole days of failure last reported for an endpoint. */
    readonly failingDays: Map<EndpointId, number>
    /** Start of each person's restriction, keyed by `environmentKey` of the user id. */
    readonly restrictions: Map<string, DateTime.Utc>
    /**
     * Keyed by `environmentKey` of the service id. These people are deleted from `consumers`, but their service ids
     * remain reserved in `consumersByServiceId`.
     */
    readonly erasedPeople: Map<string, HeldPerson>
    readonly rightsRequests: Map<RightsRequestId, RightsRequest>
    /** Keyed by `environmentKey` of the idempotency key. */
    readonly operatorTransfers: Map<string, { readonly posted: OperatorTransfer; readonly fingerprint: Fingerprint }>
    readonly operatorActions: Map<OperatorActionId, OperatorAction>
    readonly operatorSessions: Map<SessionTokenHash, OperatorSession>
    readonly proposals: Map<ProposalId, StoredProposal>
    /** In the order they were recorded. */
    readonly auditRuns: Array<AuditRun>
    /** Keyed by the start of the hour in epoch milliseconds. */
    readonly countedHours: Map<number, StoredHour>
    /** Number of `sequence` values assigned to events so far. */
    readonly eventOrder: { count: number }
    /**
     * The platform's outbox. `streams` is undefined while the feed is off; its empty key holds events of no merchant.
     * `fence` is the highest fence of any earlier stream.
     */
    readonly platformFeed: { streams: Map<MerchantId | "", StoredStream> | undefined; fence: number }
    /** Refund switch and test clock of each merchant that has used one of them in TEST. */
    readonly sandboxes: Map<MerchantId, SandboxSettings>
    /** The request log, keyed by order of insertion. */
    readonly requests: Map<number, RequestEntry>
    /** Number of requests logged so far. */
    readonly requestOrder: { count: number }
    /** The host's requests, pending or ended, keyed by `HostRequestKey`. */
    readonly hostRequests: Map<string, StoredHostRequest>
  }
>()("@surety/core/memory/MemoryState") {}

export const environmentKey = (environment: Environment, id: string): string => `${environment}/${id}`

export const scopedKey = ({ environment, merchantId }: MerchantScope, id: string): string =>
  `${merchantId}/${environment}/${id}`

/** An event has at most one delivery per endpoint. */
export const deliveryKey = (eventId: EventId, endpointId: EndpointId): string => `${eventId}/${endpointId}`

export const isOf = (scope: MerchantScope, record: MerchantScope): boolean =>
  record.merchantId === scope.merchantId && record.environment === scope.environment

/** Creates an empty state, with the platform feed off. */
export const make = (): MemoryState["Service"] =>
  MemoryState.of({
    merchants: new Map(),
    keyCanaries: new Map(),
    merchantHistory: new Map(),
    apiKeys: new Map(),
    consumers: new Map(),
    consumersByServiceId: new Map(),
    consumerLinks: new Map(),
    payments: new Map(),
    paymentsByReference: new Map(),
    refunds: new Map(),
    refundsByKey: new Map(),
    dataRequests: new Map(),
    dataRequestsByKey: new Map(),
    askingBlocks: new Map(),
    grants: new Map(),
    receipts: new Map(),
    receiptChains: new Map(),
    identityReads: new Map(),
    managementLinks: new Map(),
    codeChallenges: new Map(),
    verifications: new Map(),
    verificationsByKey: new Map(),
    kycEvidence: new Map(),
    transfers: new Map(),
    accounts: new Map(),
    endpoints: new Map(),
    events: new Map(),
    deliveries: new Map(),
    claimTimes: new Map(),
    failingDays: new Map(),
    restrictions: new Map(),
    erasedPeople: new Map(),
    rightsRequests: new Map(),
    operatorTransfers: new Map(),
    operatorActions: new Map(),
    operatorSessions: new Map(),
    proposals: new Map(),
    auditRuns: [],
    countedHours: new Map(),
    eventOrder: { count: 0 },
    platformFeed: { streams: undefined, fence: 0 },
    sandboxes: new Map(),
    requests: new Map(),
    requestOrder: { count: 0 },
    hostRequests: new Map()
  })

export const layer: Layer.Layer<MemoryState> = Layer.sync(MemoryState, make)
