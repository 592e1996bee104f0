import type { DateTime } from "effect"
import type { GrantEndSnapshot } from "../consent/grant/decideGrant.js"
import type { Controller } from "../consent/receipt/Receipt.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { UserId } from "../Ids.js"
import type { Verification } from "../kyc/verification/Verification.js"

/** A person of whom records are held. */
export interface HeldPerson {
  readonly environment: Environment
  /** The pseudonym once the person is erased. */
  readonly userId: UserId
  readonly serviceId: ConsumerId
  /** The host's own key for the person. Absent once they are erased. */
  readonly externalId?: string
  /** Since when nothing of the person is read. Absent unless a restriction is in force. */
  readonly restrictedAt?: DateTime.Utc
  /** Absent unless the person was erased: then the identifier names no one, and is never issued again. */
  readonly erasedAt?: DateTime.Utc
}

/** The snapshot that an erasure is decided on. */
export interface ErasureSnapshot {
  readonly person: HeldPerson
  /** Every grant that is `ACTIVE`, expired or not, with its merchant. */
  readonly grants: ReadonlyArray<GrantEndSnapshot>
  /** Every request that is `PENDING`, expired or not, with its merchant. */
  readonly requests: ReadonlyArray<{ readonly request: DataRequest; readonly controller: Controller }>
  /** Every open verification, leased or not. */
  readonly verifications: ReadonlyArray<Verification>
  /** Refunds that are still pending. */
  readonly pendingRefunds: number
}

/** How many records of each kind are left of an erased person. */
export interface Remains {
  readonly payments: number
  readonly refunds: number
  readonly accounts: number
  readonly receipts: number
  readonly dataRequests: number
  readonly grants: number
  readonly reads: number
  readonly verifications: number
  readonly rightsRequests: number
}
