import type { GrantStatus } from "@surety/core/consent/grant/Grant"
import type { DataRequestStatus } from "@surety/core/consent/request/DataRequest"
import type { KycStatus } from "@surety/core/consumer/Consumer"
import type { DeliveryStatus } from "@surety/core/event/Delivery"
import type { EndpointStatus } from "@surety/core/event/WebhookEndpoint"
import type { HostRequestStatus } from "@surety/core/host/HostRequest"
import type { VerificationStatus } from "@surety/core/kyc/verification/Verification"
import type { MerchantStatus } from "@surety/core/merchant/Merchant"
import type { ProposalStatus } from "@surety/core/operator/approval/Proposal"
import type { PaymentStatus } from "@surety/core/payment/Payment"
import type { RightsRequestStatus } from "@surety/core/person/RightsRequest"
import type { RefundStatus } from "@surety/core/refund/Refund"
import { Predicate, Redacted } from "effect"
import type { World } from "../world/World.js"

/**
 * The statuses of each kind of record. If a type in core gains a status, the code compiles only once `lifecycles` has a
 * row for it.
 */
export interface Statuses {
  readonly payment: PaymentStatus
  readonly refund: RefundStatus
  readonly "data request": DataRequestStatus
  readonly grant: GrantStatus
  readonly verification: VerificationStatus
  readonly "rights request": RightsRequestStatus
  readonly proposal: ProposalStatus
  readonly "host request": HostRequestStatus
  readonly delivery: DeliveryStatus
  readonly merchant: MerchantStatus
  readonly endpoint: EndpointStatus | "REMOVED"
  /** `ENDING`: in force, with an expiry. */
  readonly "API key": "IN_FORCE" | "ENDING" | "EXPIRED" | "REVOKED"
  /** A deleted session is `EXPIRED` if past its end, `IDLE` if unused for 30 minutes, and otherwise `ENDED`. */
  readonly session: "OPEN" | "ENDED" | "IDLE" | "EXPIRED"
  readonly "asking block": "BLOCKING" | "LIFTED"
  readonly restriction: "RESTRICTED" | "LIFTED"
  readonly link: "LINKED" | "UNLINKED"
  readonly person: "UNVERIFIED" | KycStatus | "ERASED"
}

export type LifecycleName = keyof Statuses

/** A record's allowed transitions, by status. A status without successors is final. */
export type Lifecycle<S extends string> = Readonly<Record<S | "new", ReadonlyArray<S>>>

/** `new` precedes the first status. */
export const lifecycles: { readonly [N in LifecycleName]: Lifecycle<Statuses[N]> } = {
  payment: { new: ["PENDING", "SETTLED"], PENDING: ["SETTLED"], SETTLED: [] },
  refund: { new: ["PENDING", "COMPLETED"], PENDING: ["COMPLETED", "FAILED"], COMPLETED: [], FAILED: [] },
  "data request": {
    new: ["PENDING", "APPROVED"],
    PENDING: ["APPROVED", "DENIED", "EXPIRED", "CANCELLED"],
    APPROVED: [],
    DENIED: [],
    EXPIRED: [],
    CANCELLED: []
  },
  grant: { new: ["ACTIVE"], ACTIVE: ["REVOKED", "EXPIRED"], REVOKED: [], EXPIRED: [] },
  verification: {
    new: ["PENDING", "FAILED"],
    PENDING: ["REQUIRES_ACTION", "VERIFIED", "FAILED", "ERROR"],
    REQUIRES_ACTION: ["PENDING", "VERIFIED", "FAILED", "ERROR"],
    VERIFIED: [],
    FAILED: [],
    ERROR: []
  },
  "rights request": { new: ["OPEN"], OPEN: ["DONE", "REFUSED"], DONE: [], REFUSED: [] },
  // `EXPIRED` is displayed for an open proposal past its end, but never stored.
  proposal: { new: ["OPEN"], OPEN: ["APPROVED", "REFUSED"], APPROVED: [], REFUSED: [], EXPIRED: [] },
  "host request": { new: ["PENDING"], PENDING: ["DONE", "FAILED"], DONE: [], FAILED: [] },
  // A merchant may resend an event even if it was delivered.
  delivery: {
    new: ["PENDING"],
    PENDING: ["DELIVERED", "FAILED"],
    DELIVERED: ["PENDING"],
    FAILED: ["PENDING"]
  },
  merchant: {
    new: ["PENDING_REVIEW"],
    PENDING_REVIEW: ["ACTIVE", "REJECTED", "CLOSED"],
    ACTIVE: ["SUSPENDED", "CLOSED"],
    SUSPENDED: ["ACTIVE", "CLOSED"],
    REJECTED: ["CLOSED"],
    CLOSED: []
  },
  endpoint: { new: ["ENABLED"], ENABLED: ["DISABLED", "REMOVED"], DISABLED: ["ENABLED", "REMOVED"], REMOVED: [] },
  "API key": {
    new: ["IN_FORCE", "ENDING"],
    IN_FORCE: ["ENDING", "REVOKED"],
    ENDING: ["EXPIRED", "REVOKED"],
    // A revocation is recorded even if the key has expired.
    EXPIRED: ["REVOKED"],
    REVOKED: []
  },
  session: { new: ["OPEN"], OPEN: ["ENDED", "IDLE", "EXPIRED"], ENDED: [], IDLE: [], EXPIRED: [] },
  "asking block": { new: ["BLOCKING"], BLOCKING: ["LIFTED"], LIFTED: ["BLOCKING"] },
  restriction: { new: ["RESTRICTED"], RESTRICTED: ["LIFTED"], LIFTED: ["RESTRICTED"] },
  link: { new: ["LINKED"], LINKED: ["UNLINKED"], UNLINKED: ["LINKED"] },
  person: { new: ["UNVERIFIED"], UNVERIFIED: ["VERIFIED", "ERASED"], VERIFIED: ["ERASED"], ERASED: [] }
}

/** Statuses that are never stored, with the reason. */
export const neverStored: ReadonlyMap<string, string> = new Map([
  ["proposal EXPIRED", "how an open proposal is shown after its end"]
])

const followers = (name: LifecycleName, status: string): ReadonlyArray<string> =>
  new Map<string, ReadonlyArray<string>>(Object.entries(lifecycles[name])).get(status) ?? []

/** Every allowed transition, formatted as `checkMove` counts it. */
export const moves: ReadonlyArray<string> = Object.entries(lifecycles).flatMap(([name, lifecycle]) =>
  Object.entries<ReadonlyArray<string>>(lifecycle).flatMap(([from, after]) =>
    after.map((to) => `${name} ${from} → ${to}`)
  )
)

/** Kinds of records whose creation is not logged, since every story begins by creating some of them. */
const ofTheCast: ReadonlySet<LifecycleName> = new Set<LifecycleName>(["merchant", "endpoint", "link", "person"])

/**
 * Checks and counts a transition. An unchanged status does not count as a transition. An undefined `to` violates
 * `lifecycle`.
 */
export const checkMove = (
  world: World,
  name: LifecycleName,
  id: string,
  from: string | undefined,
  to: string | undefined
): void => {
  if (to === undefined) {
    world.violate("lifecycle", `${world.nameOf(id)} was deleted`)
    return
  }
  if (from === to) return
  const before = from ?? "new"
  world.require(
    followers(name, before).includes(to),
    "lifecycle",
    () => `${world.nameOf(id)} went from ${before} to ${to}`
  )
  world.reach(`${name} ${before} → ${to}`)
  if (before !== "new" || !ofTheCast.has(name)) world.tell(() => `${world.nameOf(id)}: ${before} → ${to}`)
}

/** True if the records are equal in these fields. An erasure in progress may replace the person's id. */
export const isSameIn = <A extends object>(
  { erasing }: World,
  before: A,
  after: A,
  fields: ReadonlyArray<keyof A>
): boolean =>
  fields.every((field) => {
    const [was, is] = [plainTextOf(before[field]), plainTextOf(after[field])]
    if (was === is || erasing === undefined) return was === is
    return was.replaceAll(`"${erasing.person.userId}"`, () => `"${erasing.pseudonym}"`) === is
  })

/** Serialises a value as JSON for comparison, with redacted values in plain text. Returns `absent` for undefined. */
export const plainTextOf = (value: unknown): string =>
  JSON.stringify(value, function (this: unknown, key, shown: unknown) {
    const part: unknown = Predicate.hasProperty(this, key) ? this[key] : shown
    if (Redacted.isRedacted(part)) return Redacted.value(part)
    return typeof shown === "bigint" ? `${shown}n` : shown
  }) ?? "absent"
