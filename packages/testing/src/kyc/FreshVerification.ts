import { assert } from "@effect/vitest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import type { VerificationId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { IdentityHash } from "@surety/core/kyc/command/IdentityHash"
import { canonicalText, parse, type VerificationCommand } from "@surety/core/kyc/command/VerificationCommand"
import { defaultPolicy, type KycPolicy } from "@surety/core/kyc/evidence/KycPolicy"
import { type KycProof, proving } from "@surety/core/kyc/evidence/KycStanding"
import { defaultSettings } from "@surety/core/kyc/KycSettings"
import { firstFence, type HeldVerification, KycStore, type VerificationProgress } from "@surety/core/kyc/KycStore"
import {
  decideVerification,
  type VerificationContext,
  type VerificationDecision,
  type VerificationPlan,
  type VerificationSnapshot
} from "@surety/core/kyc/verification/decideVerification"
import type { Checks, Verification, VerificationKind } from "@surety/core/kyc/verification/Verification"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { DateTime } from "effect"
import { Effect, Option, Redacted, Result } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import { responses } from "../Responses.js"

/** In milliseconds. */
export const minute = 60_000

const { tiers } = defaultSettings

/** `Fresh.longAgo`; forgets the answers of that past at the law's end, which another law would count. */
export const longAgo = Effect.gen(function* () {
  const store = yield* KycStore
  const at = yield* Fresh.longAgo
  const forget = store.forgetAnswers(Fresh.later(at, 60 * minute), 1_000)
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.repeat(forget, { while: (count) => count > 0 })))
  return at
})

export interface FreshVerificationOptions {
  /** A new one unless told. */
  readonly key?: IdempotencyKey
  readonly kind?: VerificationKind
  readonly id?: string
  readonly tier?: string
  /** Stands for the keys that the server knows, the active one first. */
  readonly fingerprintKeys?: readonly [string, ...ReadonlyArray<string>]
  /** By which of the person's names it is asked for; `userId` unless told. */
  readonly by?: "userId" | "serviceId" | "both"
  readonly at?: DateTime.Utc
  /** Makes the plan another one before it is committed. */
  readonly change?: (plan: VerificationPlan) => VerificationPlan
}

const commandOf = (consumer: Consumer, options: FreshVerificationOptions): VerificationCommand => {
  const { by = "userId", id = "12345678901", kind = "bvn", tier } = options
  const parsed = parse({
    ...(by === "serviceId" ? {} : { userId: consumer.id }),
    ...(by === "userId" ? {} : { serviceId: consumer.serviceId }),
    kind,
    id: Redacted.make(id),
    verificationConsent: true,
    ...(tier === undefined ? {} : { tier })
  })
  return Result.getOrThrow(parsed)
}

const fingerprintOf = (keyId: string, command: VerificationCommand): Fingerprint =>
  Fingerprint.make(`${keyId}.${Fresh.sha256(canonicalText(command, undefined), "base64url")}`)

const lookupOf = (scope: MerchantScope, idempotencyKey: IdempotencyKey, command: VerificationCommand) => ({
  scope,
  idempotencyKey,
  userId: command.userId,
  serviceId: command.serviceId
})

/** Asks for a verification of the consumer, on behalf of `scope`, as the service does; held for a minute. */
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
    idHash: IdentityHash.make(`k1.${Fresh.text("hash")}`),
    provider: "fake",
    heldUntil: Fresh.later(now, minute),
    responseOf: responses.verification
  }
  return yield* store.begin(lookupOf(scope, idempotencyKey, command), (snapshot) => {
    const decision = decideVerification(snapshot, command, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

/** A decision in a word: its tag, or the rule that refused. */
export const nameOf = (decision: VerificationDecision): string =>
  decision._tag === "Refuse" ? decision.reason._tag : decision._tag

/** How many of the decisions have each name. */
export const tally = (decisions: ReadonlyArray<VerificationDecision>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const decision of decisions) counts[nameOf(decision)] = (counts[nameOf(decision)] ?? 0) + 1
  return counts
}

/** The plan of a decision that must be `Execute`. */
export const planOf = (decision: VerificationDecision): VerificationPlan =>
  decision._tag === "Execute"
    ? decision.plan
    : assert.fail(`Expected the verification to begin, got ${nameOf(decision)}`)

/** Reads what a decision would be made on, and stores nothing. */
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

/** A verification that has begun, and its maker's hold on it. */
export interface Begun {
  readonly scope: MerchantScope
  readonly consumer: Consumer
  readonly key: IdempotencyKey
  readonly madeAt: DateTime.Utc
  readonly verification: Verification
  readonly held: HeldVerification
}

/** A hold that must have been given. */
export const given = (held: Option.Option<HeldVerification>): HeldVerification =>
  Option.getOrElse(held, () => assert.fail("the verification is held or has ended"))

/** Holds the verification from so many minutes after it was made, for one minute. */
export const hold = Effect.fnUntraced(function* ({ madeAt, verification: { id } }: Begun, minutes: number) {
  const store = yield* KycStore
  const now = Fresh.later(madeAt, minutes * minute)
  return yield* store.hold(id, now, Fresh.later(now, minute))
})

/** Claims what is due so many minutes after `begun` was made, for one minute; this one only, unless told. */
export const claim = Effect.fnUntraced(function* (
  { madeAt, verification }: Begun,
  minutes: number,
  id: VerificationId | "any" = verification.id,
  limit = 100
) {
  const store = yield* KycStore
  const now = Fresh.later(madeAt, minutes * minute)
  const only = id === "any" ? undefined : id
  return yield* store.claim({ now, heldUntil: Fresh.later(now, minute), limit, id: only })
})

/** What the verification proves, under this policy. */
export const proofOf = (verification: Verification, policy: KycPolicy = defaultPolicy): KycProof => {
  const { checks, createdAt, environment, id, kind, merchantId, method, provider = "fake", tier, userId } = verification
  const record = { verificationId: id, merchantId, environment, userId, kind, provider, checks, method }
  const evidence = { ...record, provedAt: verification.completedAt ?? createdAt }
  return proving(policy, tiers)(tier === undefined ? evidence : { ...evidence, tier })
}

/** That a verification has ended, or still waits, as `change` says. */
export const progressOf = (
  held: HeldVerification,
  change: Partial<Verification> & Pick<Verification, "status">,
  rest: Partial<Pick<VerificationProgress, "dueAt" | "heldUntil" | "looks" | "proof">> = {}
): VerificationProgress => {
  const verification: Verification = { ...held.verification, ...change }
  return {
    held,
    verification,
    looks: held.looks,
    dueAt: undefined,
    heldUntil: undefined,
    answer: responses.verification(verification),
    proof: change.status === "VERIFIED" ? proofOf(verification) : undefined,
    ...rest
  }
}

/** Everything matches but the selfie, which was not compared. */
export const allMatch: Checks = {
  first_name: "MATCH",
  last_name: "MATCH",
  date_of_birth: "MATCH",
  selfie: "NOT_CHECKED"
}

/** That it was verified, a minute after it was made; with checks that prove the person, unless told. */
export const verifiedBy = (held: HeldVerification, checks: Checks = allMatch): VerificationProgress =>
  progressOf(held, {
    status: "VERIFIED",
    checks,
    providerReference: Fresh.text("VR"),
    completedAt: Fresh.later(held.verification.createdAt, minute)
  })

const begin = Effect.fnUntraced(function* (options: FreshVerificationOptions & { readonly scope?: MerchantScope }) {
  const madeAt = options.at ?? (yield* longAgo)
  const scope = options.scope ?? FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const consumer = yield* FreshConsumer.linkedTo(scope)
  const key = options.key ?? Fresh.idempotencyKey()
  const { verification } = planOf(yield* attempt(scope, consumer, { ...options, key, at: madeAt }))
  const held: HeldVerification = { verification, fence: firstFence, looks: 0, dueAt: madeAt }
  const begun: Begun = { scope, consumer, key, madeAt, verification, held }
  return begun
})

const longAfter = 10 * 365 * 24 * 60

const ended = Effect.fnUntraced(function* (begun: Begun) {
  const store = yield* KycStore
  const last = yield* hold(begun, longAfter)
  if (Option.isSome(last)) {
    const completedAt = Fresh.later(begun.madeAt, minute)
    yield* store.save(progressOf(last.value, { status: "ERROR", failureReason: "law_over", completedAt }))
  }
})

/** A begun verification that does not outlive the law, so that nobody claims it. Made when no other law makes any. */
export const make = (options: FreshVerificationOptions & { readonly scope?: MerchantScope } = {}) =>
  Effect.acquireRelease(begin(options), (begun) => Effect.ignore(ended(begun)))
