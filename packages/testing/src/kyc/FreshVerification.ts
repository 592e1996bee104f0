import { assert } from "@effect/vitest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import type { VerificationId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { IdentityHash } from "@surety/core/kyc/command/IdNumber"
import {
  canonicalVerification,
  parseVerification,
  type VerificationCommand
} from "@surety/core/kyc/command/VerificationCommand"
import { defaultKycPolicy, type KycPolicy } from "@surety/core/kyc/evidence/KycPolicy"
import { type KycProof, proving } from "@surety/core/kyc/evidence/KycStanding"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { KycStore, type LeasedVerification, type VerificationProgress } from "@surety/core/kyc/KycStore"
import {
  decideVerification,
  type VerificationContext,
  type VerificationDecision,
  type VerificationPlan,
  type VerificationSnapshot
} from "@surety/core/kyc/verification/decideVerification"
import { endEvent } from "@surety/core/kyc/verification/endEvent"
import type { Checks, Verification, VerificationKind } from "@surety/core/kyc/verification/Verification"
import { firstFence } from "@surety/core/Lease"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { DateTime } from "effect"
import { Effect, Option, Redacted, Result } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import { responses } from "../Responses.js"
import { staleFirst } from "../staleFirst.js"

/** One minute in milliseconds, the length of a law's lease. */
export const leaseMinute = 60_000

const { tiers } = defaultKycSettings

/**
 * Returns `Fresh.longAgo`. A finalizer forgets the responses of ended verifications created up to an hour after that
 * time. Otherwise, `forgetAnswers` would count them in other laws.
 */
export const longAgo = Effect.gen(function* () {
  const store = yield* KycStore
  const at = yield* Fresh.longAgo
  const forget = store.forgetAnswers(Fresh.later(at, 60 * leaseMinute), 1_000)
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.repeat(forget, { while: (count) => count > 0 })))
  return at
})

export interface FreshVerificationOptions {
  /** Defaults to a new key. */
  readonly key?: IdempotencyKey
  readonly kind?: VerificationKind
  readonly id?: string
  readonly tier?: string
  /** Names of the server's fingerprint keys, the active one first. */
  readonly fingerprintKeys?: readonly [string, ...ReadonlyArray<string>]
  /** The person's ids to include in the request. Defaults to `userId`. */
  readonly by?: "userId" | "serviceId" | "both"
  readonly at?: DateTime.Utc
  readonly change?: (plan: VerificationPlan) => VerificationPlan
  /** An earlier snapshot to use for the first decision. */
  readonly stale?: VerificationSnapshot
}

const commandOf = (consumer: Consumer, options: FreshVerificationOptions): VerificationCommand => {
  const { by = "userId", id = "12345678901", kind = "bvn", tier } = options
  const parsed = parseVerification({
    ...(by === "serviceId" ? {} : { userId: consumer.userId }),
    ...(by === "userId" ? {} : { serviceId: consumer.serviceId }),
    kind,
    id: Redacted.make(id),
    verificationConsent: true,
    ...(tier === undefined ? {} : { tier })
  })
  return Result.getOrThrow(parsed)
}

const fingerprintOf = (keyId: string, command: VerificationCommand): Fingerprint =>
  Fingerprint.make(`${keyId}.${Fresh.sha256(canonicalVerification(command, undefined), "base64url")}`)

const lookupOf = (scope: MerchantScope, idempotencyKey: IdempotencyKey, command: VerificationCommand) => ({
  scope,
  idempotencyKey,
  userId: command.userId,
  serviceId: command.serviceId
})

/**
 * Tries to begin a verification for the merchant. Leases it for a minute unless it ends immediately. Returns the
 * decision.
 */
export const attempt = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Consumer,
  options: FreshVerificationOptions = {}
) {
  const store = yield* KycStore
  const now = options.at ?? (yield* Fresh.now)
  const command = commandOf(consumer, options)
  const [active, ...older] = options.fingerprintKeys ?? ["k1"]
  const idempotencyKey = options.key ?? Fresh.idempotencyKey()
  const context: VerificationContext = {
    scope,
    idempotencyKey,
    fingerprints: [fingerprintOf(active, command), ...older.map((keyId) => fingerprintOf(keyId, command))],
    now,
    verificationId: Fresh.verificationId(now),
    receiptId: Fresh.receiptId(now),
    eventId: Fresh.eventId(now),
    traceparent: undefined,
    idHash: IdentityHash.make(`k1.${Fresh.randomText("hash")}`),
    provider: "fake",
    leasedUntil: Fresh.later(now, leaseMinute),
    responseOf: responses.verification
  }
  const seen = staleFirst(options.stale)
  return yield* store.begin(lookupOf(scope, idempotencyKey, command), (snapshot) => {
    const decision = decideVerification(seen(snapshot), command, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

export const nameOf = (decision: VerificationDecision): string =>
  decision._tag === "Refuse" ? decision.reason._tag : decision._tag

export const tally = (decisions: ReadonlyArray<VerificationDecision>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const decision of decisions) counts[nameOf(decision)] = (counts[nameOf(decision)] ?? 0) + 1
  return counts
}

export const planOf = (decision: VerificationDecision): VerificationPlan =>
  decision._tag === "Execute"
    ? decision.plan
    : assert.fail(`Expected the verification to begin, got ${nameOf(decision)}`)

/** Returns the snapshot that a decision on a verification would use. Stores nothing. */
export const look = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Consumer,
  options: Pick<FreshVerificationOptions, "key" | "by"> = {}
) {
  const store = yield* KycStore
  const seen: Array<VerificationSnapshot> = []
  yield* store.begin(
    lookupOf(scope, options.key ?? Fresh.idempotencyKey(), commandOf(consumer, options)),
    (snapshot): VerificationDecision => {
      seen.push(snapshot)
      return { _tag: "KeyReused" }
    }
  )
  return seen.at(-1) ?? assert.fail("the store never asked for a decision")
})

/** `leased` is the creator's lease, stored unless the verification ended immediately. */
export interface Begun {
  readonly scope: MerchantScope
  readonly consumer: Consumer
  readonly key: IdempotencyKey
  readonly madeAt: DateTime.Utc
  readonly verification: Verification
  readonly leased: LeasedVerification
}

export const given = (leased: Option.Option<LeasedVerification>): LeasedVerification =>
  Option.getOrElse(leased, () => assert.fail("the verification is leased or has ended"))

/** Tries to lease the verification for one minute, as of `minutes` after its creation. */
export const leaseVerification = Effect.fnUntraced(function* (
  { madeAt, verification: { id } }: Begun,
  minutes: number
) {
  const store = yield* KycStore
  const now = Fresh.later(madeAt, minutes * leaseMinute)
  return yield* store.lease(id, now, Fresh.later(now, leaseMinute))
})

/**
 * Claims due verifications for one minute, as of `minutes` after the creation of this verification. By default, claims
 * only this one.
 */
export const claim = Effect.fnUntraced(function* (
  { madeAt, verification }: Begun,
  minutes: number,
  id: VerificationId | "any" = verification.id,
  limit = 100
) {
  const store = yield* KycStore
  const now = Fresh.later(madeAt, minutes * leaseMinute)
  const only = id === "any" ? undefined : id
  return yield* store.claim({ now, leasedUntil: Fresh.later(now, leaseMinute), limit, id: only })
})

export const proofOf = (verification: Verification, policy: KycPolicy = defaultKycPolicy): KycProof => {
  const { checks, createdAt, environment, id, kind, merchantId, method, provider = "fake", tier, userId } = verification
  const record = { verificationId: id, merchantId, environment, userId, kind, provider, checks, method }
  const evidence = { ...record, provedAt: verification.completedAt ?? createdAt }
  return proving(policy, tiers)(tier === undefined ? evidence : { ...evidence, tier })
}

/**
 * Builds progress that applies `change` to the leased verification. Clears the next action unless `change` sets one.
 */
export const progressOf = (
  leased: LeasedVerification,
  change: Partial<Verification> & Pick<Verification, "status">,
  rest: Partial<Pick<VerificationProgress, "codes" | "dueAt" | "leasedUntil" | "looks" | "proof">> = {}
): VerificationProgress => {
  const { nextAction: _, ...before } = leased.verification
  const verification: Verification = { ...before, ...change }
  return {
    leased,
    verification,
    looks: leased.looks,
    codes: leased.codes,
    dueAt: undefined,
    leasedUntil: undefined,
    answer: responses.verification(verification),
    proof: change.status === "VERIFIED" ? proofOf(verification) : undefined,
    event: endEvent(verification, { eventId: Fresh.eventId(verification.createdAt), traceparent: undefined }),
    ...rest
  }
}

export const needsCode = ({ verification }: LeasedVerification): Pick<Verification, "status" | "nextAction"> => ({
  status: "REQUIRES_ACTION",
  nextAction: { type: "CODE", channels: ["phone"], expiresAt: Fresh.later(verification.createdAt, 60 * leaseMinute) }
})

export const needsConsent = ({ verification }: LeasedVerification): Pick<Verification, "status" | "nextAction"> => ({
  status: "REQUIRES_ACTION",
  nextAction: {
    type: "REDIRECT",
    url: "https://registry.example/consent?state=7",
    expiresAt: Fresh.later(verification.createdAt, 60 * leaseMinute)
  }
})

export const allMatch: Checks = {
  first_name: "MATCH",
  last_name: "MATCH",
  date_of_birth: "MATCH",
  selfie: "NOT_CHECKED"
}

/** Builds progress to `VERIFIED` one minute after creation. The default checks prove the person's identity. */
export const verifiedBy = (leased: LeasedVerification, checks: Checks = allMatch): VerificationProgress =>
  progressOf(leased, {
    status: "VERIFIED",
    checks,
    providerReference: Fresh.randomText("VR"),
    completedAt: Fresh.later(leased.verification.createdAt, leaseMinute)
  })

const begin = Effect.fnUntraced(function* (options: FreshVerificationOptions & { readonly scope?: MerchantScope }) {
  const madeAt = options.at ?? (yield* longAgo)
  const scope = options.scope ?? FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const consumer = yield* FreshConsumer.linkedTo(scope)
  const key = options.key ?? Fresh.idempotencyKey()
  const { verification } = planOf(yield* attempt(scope, consumer, { ...options, key, at: madeAt }))
  const leased: LeasedVerification = { verification, fence: firstFence, looks: 0, codes: 0, dueAt: madeAt }
  const begun: Begun = { scope, consumer, key, madeAt, verification, leased }
  return begun
})

const longAfter = 10 * 365 * 24 * 60

const ended = Effect.fnUntraced(function* (begun: Begun) {
  const store = yield* KycStore
  const last = yield* leaseVerification(begun, longAfter)
  if (Option.isSome(last)) {
    const completedAt = Fresh.later(begun.madeAt, leaseMinute)
    yield* store.settle(progressOf(last.value, { status: "ERROR", failureReason: "law_over", completedAt }))
  }
})

/**
 * Begins a verification. A finalizer ends it, so that later claims do not find it. `at` must come from `longAgo`, which
 * is the default, so that claims of concurrent laws do not find it either.
 */
export const make = (options: FreshVerificationOptions & { readonly scope?: MerchantScope } = {}) =>
  Effect.acquireRelease(begin(options), (begun) => Effect.ignore(ended(begun)))
