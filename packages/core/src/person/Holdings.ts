import type { DateTime } from "effect"
import type { AskingBlock } from "../consent/asking/AskingBlock.js"
import type { Grant } from "../consent/grant/Grant.js"
import type { IdentityRead } from "../consent/read/IdentityRead.js"
import type { Receipt } from "../consent/receipt/Receipt.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { Consumer, ConsumerLink } from "../consumer/Consumer.js"
import type { Topic } from "../event/DomainEvent.js"
import type { EventId, MerchantId } from "../Ids.js"
import type { KycEvidence } from "../kyc/evidence/KycEvidence.js"
import type { Verification } from "../kyc/verification/Verification.js"
import type { Money } from "../Money.js"
import type { Payment } from "../payment/Payment.js"
import type { Refund } from "../refund/Refund.js"
import type { RightsRequest } from "./RightsRequest.js"

/** An event for a merchant about one of the person's records, delivered or not. */
export interface SentEvent {
  readonly eventId: EventId
  readonly merchantId: MerchantId
  readonly topic: Topic
  /** The event's payload as stored: a JSON string. */
  readonly body: string
  readonly occurredAt: DateTime.Utc
  /** Number of the merchant's endpoints that accepted the event. */
  readonly delivered: number
}

/** Records held about a person. Every list except `wallets` is sorted oldest first. */
export interface Holdings {
  readonly consumer: Consumer
  readonly restrictedAt?: DateTime.Utc
  readonly links: ReadonlyArray<ConsumerLink>
  readonly dataRequests: ReadonlyArray<DataRequest>
  readonly grants: ReadonlyArray<Grant>
  readonly askingBlocks: ReadonlyArray<AskingBlock>
  readonly reads: ReadonlyArray<IdentityRead>
  readonly receipts: ReadonlyArray<Receipt>
  readonly verifications: ReadonlyArray<Verification>
  readonly evidence: ReadonlyArray<KycEvidence>
  readonly payments: ReadonlyArray<Payment>
  readonly refunds: ReadonlyArray<Refund>
  /** Balances of the person's wallets in Surety's ledger. */
  readonly wallets: ReadonlyArray<Money>
  readonly messages: ReadonlyArray<SentEvent>
  readonly rightsRequests: ReadonlyArray<RightsRequest>
}
