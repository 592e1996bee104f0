import type { DateTime } from "effect"
import type { GrantEndSnapshot } from "../consent/grant/decideGrant.js"
import type { Controller } from "../consent/receipt/Receipt.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { UserId } from "../Ids.js"
import type { Verification } from "../kyc/verification/Verification.js"

export interface HeldPerson {
  readonly environment: Environment
  /** The pseudonym, if the person was erased. */
  readonly userId: UserId
  readonly serviceId: ConsumerId
  /** The host's own key for the person, if any. Absent after an erasure. */
  readonly externalId?: string
  /**
   * Start of the restriction in force, during which merchants cannot read the person's data. Absent if there is no
   * restriction.
   */
  readonly restrictedAt?: DateTime.Utc
  readonly erasedAt?: DateTime.Utc
}

/** A person after a restriction was set or lifted. */
export interface RestrictedPerson {
  readonly person: HeldPerson
  /** True if this call set or lifted the restriction. */
  readonly isNew: boolean
}

/** The stored data on which `decideErasure` depends, loaded by `PersonStore.erasure`. */
export interface ErasureSnapshot {
  readonly person: HeldPerson
  /** All `ACTIVE` grants, expired or not, with their merchants. */
  readonly grants: ReadonlyArray<GrantEndSnapshot>
  /** All `PENDING` requests, expired or not, with their merchants. */
  readonly requests: ReadonlyArray<{ readonly request: DataRequest; readonly controller: Controller }>
  /** All open verifications, leased or not. */
  readonly verifications: ReadonlyArray<Verification>
  readonly pendingRefunds: number
}

/** Number of records that remain after an erasure, for each kind that `Erasure` reports. */
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
