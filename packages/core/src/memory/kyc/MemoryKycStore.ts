import { DateTime, Effect, Layer, Option } from "effect"
import { Digest } from "effect/crypto"
import { DeliverySignal } from "../../event/DeliverySignal.js"
import type { KycEvidence } from "../../kyc/evidence/KycEvidence.js"
import type { KycProof } from "../../kyc/evidence/KycStanding.js"
import {
  type CalledVerification,
  KycStore,
  type LeasedVerification,
  type SparedLeases,
  type VerificationClaim,
  type VerificationLookup,
  type VerificationProgress
} from "../../kyc/KycStore.js"
import type {
  NamedPerson,
  PriorVerification,
  VerificationDecision,
  VerificationPlan,
  VerificationSnapshot
} from "../../kyc/verification/decideVerification.js"
import { isVerificationOpen, type Verification } from "../../kyc/verification/Verification.js"
import { firstFence } from "../../Lease.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { requireThat } from "../ConstraintViolated.js"
import { type CommitAttempt, commit } from "../consent/MemoryConsentCommit.js"
import { hasLink } from "../consumer/MemoryConsumerStore.js"
import { append, checkEvent, notifyOf } from "../event/MemoryOutbox.js"
import { environmentKey, isOf, MemoryState, type StoredVerification, scopedKey } from "../MemoryState.js"
import { controllerIn, ownPurposeIn } from "../merchant/MemoryMerchantStore.js"

type State = MemoryState["Service"]

const priorOf = (state: State, { idempotencyKey, scope }: VerificationLookup): PriorVerification | undefined => {
  const id = state.verificationsByKey.get(scopedKey(scope, idempotencyKey))
  const stored = id && state.verifications.get(id)
  if (stored?.kept === undefined) return undefined
  const { answer, fingerprint } = stored.kept
  return { verificationId: stored.verification.id, fingerprint, answer }
}

const personOf = (state: State, scope: MerchantScope, key: string | undefined): NamedPerson | undefined => {
  const consumer = key === undefined ? undefined : state.consumers.get(key)
  return (
    consumer && {
      userId: consumer.userId,
      serviceId: consumer.serviceId,
      isLinked: hasLink(state, scope, consumer.userId)
    }
  )
}

const snapshotOf = (state: State, lookup: VerificationLookup): VerificationSnapshot => {
  const { scope, serviceId, userId } = lookup
  const { environment } = scope
  return {
    prior: priorOf(state, lookup),
    controller: controllerIn(state, scope.merchantId),
    ownPurpose: ownPurposeIn(state, scope.merchantId),
    byUserId: userId === undefined ? undefined : personOf(state, scope, environmentKey(environment, userId)),
    byServiceId:
      serviceId === undefined
        ? undefined
        : personOf(state, scope, state.consumersByServiceId.get(environmentKey(environment, serviceId)))
  }
}

const check = (state: State, { idempotencyKey, verification }: VerificationPlan): void => {
  const key = scopedKey(verification, idempotencyKey)
  requireThat(!state.verifications.has(verification.id), "a verification's id is new", verification.id)
  requireThat(!state.verificationsByKey.has(key), "the key is free", verification.id)
}

const write = (state: State, plan: VerificationPlan): void => {
  const { answer, fingerprint, leasedUntil, idempotencyKey, verification } = plan
  state.verifications.set(verification.id, {
    verification,
    kept: { idempotencyKey, fingerprint, answer },
    fence: firstFence,
    looks: 0,
    codes: 0,
    dueAt: isVerificationOpen(verification.status) ? verification.createdAt : undefined,
    leasedUntil
  })
  state.verificationsByKey.set(scopedKey(verification, idempotencyKey), verification.id)
}

const beginning = (
  state: State,
  lookup: VerificationLookup,
  decide: (snapshot: VerificationSnapshot) => VerificationDecision
): CommitAttempt<VerificationDecision> => {
  const decision = decide(snapshotOf(state, lookup))
  if (decision._tag !== "Execute") return { decision, changes: undefined }
  const { plan } = decision
  return {
    decision,
    changes: {
      receipt: plan.receipt,
      events: plan.event === undefined ? [] : [{ event: plan.event, cause: plan.verification.id }],
      check: () => check(state, plan),
      write: () => write(state, plan)
    }
  }
}

const isFree = ({ leasedUntil, verification }: StoredVerification, now: DateTime.Utc): boolean =>
  isVerificationOpen(verification.status) &&
  (leasedUntil === undefined || DateTime.isLessThanOrEqualTo(leasedUntil, now))

const dueBefore = (a: StoredVerification, b: StoredVerification): number =>
  DateTime.Order(a.dueAt ?? a.verification.createdAt, b.dueAt ?? b.verification.createdAt) ||
  (a.verification.id < b.verification.id ? -1 : 1)

const dueOf = (state: State, { id, limit, now }: VerificationClaim): ReadonlyArray<StoredVerification> =>
  [...state.verifications.values()]
    .filter((stored) => id === undefined || stored.verification.id === id)
    .filter((stored) => isFree(stored, now))
    .filter(({ dueAt }) => dueAt !== undefined && DateTime.isLessThanOrEqualTo(dueAt, now))
    .sort(dueBefore)
    .slice(0, limit)

const take = (state: State, stored: StoredVerification, leasedUntil: DateTime.Utc): LeasedVerification => {
  const { codes, dueAt, looks, verification } = stored
  const fence = stored.fence + 1
  state.verifications.set(verification.id, { ...stored, fence, leasedUntil })
  return { verification, fence, looks, codes, dueAt: dueAt ?? verification.createdAt }
}

const isMeant = ({ verification }: StoredVerification, called: CalledVerification): boolean =>
  verification.provider === called.provider &&
  (called.reference === undefined
    ? called.providerReference !== undefined && verification.providerReference === called.providerReference
    : verification.id === called.reference)

const isSpared = (stored: StoredVerification, { leasedAt, status }: SparedLeases): boolean =>
  !isFree(stored, leasedAt) && (status === undefined || stored.verification.status === status)

const meant = (
  state: State,
  called: CalledVerification,
  spared: SparedLeases | undefined
): StoredVerification | undefined =>
  [...state.verifications.values()]
    .filter((stored) => isVerificationOpen(stored.verification.status) && isMeant(stored, called))
    .filter((stored) => spared === undefined || !isSpared(stored, spared))
    .sort((a, b) => (a.verification.id > b.verification.id ? -1 : 1))[0]

const provedBefore = (a: KycEvidence, b: KycEvidence): number =>
  DateTime.Order(a.provedAt, b.provedAt) || (a.verificationId < b.verificationId ? -1 : 1)

/**
 * Appends the evidence, and stores the standing that `standingOf` derives from all of the person's evidence. A no-op if
 * the person does not exist.
 */
const prove = (state: State, { evidence, standingOf }: KycProof): void => {
  const { environment, userId, verificationId } = evidence
  const key = environmentKey(environment, userId)
  const consumer = state.consumers.get(key)
  if (consumer === undefined) return
  const { kycStatus, kycTier, ...person } = consumer
  const earlier = [...state.kycEvidence.values()]
    .filter((each) => each.userId === userId && each.environment === environment)
    .sort(provedBefore)
  const standing = standingOf({ evidence: earlier, kycStatus, kycTier })
  state.kycEvidence.set(verificationId, evidence)
  state.consumers.set(key, {
    ...person,
    ...(standing.kycStatus === undefined ? {} : { kycStatus: standing.kycStatus }),
    ...(standing.kycTier === undefined ? {} : { kycTier: standing.kycTier })
  })
}

const leasedBy = (state: State, leased: LeasedVerification): StoredVerification | undefined => {
  const stored = state.verifications.get(leased.verification.id)
  return stored !== undefined && isVerificationOpen(stored.verification.status) && stored.fence === leased.fence
    ? stored
    : undefined
}

const saved = (
  state: State,
  signal: DeliverySignal["Service"],
  progress: VerificationProgress
): Effect.Effect<Option.Option<string>> => {
  const stored = leasedBy(state, progress.leased)
  if (stored === undefined) return Effect.succeedNone
  if (progress.event !== undefined) checkEvent(state, progress.event)
  const { codes, dueAt, leasedUntil, looks, verification } = progress
  const answer = stored.kept?.answer ?? progress.answer
  const kept = stored.kept && { ...stored.kept, answer }
  state.verifications.set(verification.id, { ...stored, verification, kept, looks, codes, dueAt, leasedUntil })
  if (progress.proof !== undefined) prove(state, progress.proof)
  const deliveries = progress.event === undefined ? 0 : append(state, progress.event, verification.id)
  return Effect.as(notifyOf(signal, deliveries), Option.some(answer))
}

/**
 * Finds the merchant's verification of a linked person by Surety's reference or, if none has it, by the provider's. If
 * several share the provider's reference, returns the newest.
 */
const found = (state: State, scope: MerchantScope, reference: string): Verification | undefined =>
  [...state.verifications.values()]
    .map(({ verification }) => verification)
    .filter(({ id, providerReference }) => id === reference || providerReference === reference)
    .filter((verification) => isOf(scope, verification))
    .filter(({ userId }) => hasLink(state, scope, userId))
    .sort((a, b) => Number(b.id === reference) - Number(a.id === reference) || (a.id > b.id ? -1 : 1))[0]

const forgettable = (state: State, madeBefore: DateTime.Utc, limit: number): ReadonlyArray<StoredVerification> =>
  [...state.verifications.values()]
    .filter(({ kept, verification }) => kept !== undefined && !isVerificationOpen(verification.status))
    .filter(({ verification }) => DateTime.isLessThan(verification.createdAt, madeBefore))
    .sort((a, b) => DateTime.Order(a.verification.createdAt, b.verification.createdAt))
    .slice(0, limit)

const forget = (state: State, stored: StoredVerification): void => {
  const { kept, verification } = stored
  state.verifications.set(verification.id, { ...stored, kept: undefined })
  if (kept !== undefined) state.verificationsByKey.delete(scopedKey(verification, kept.idempotencyKey))
}

export const make = (
  state: State,
  digest: Digest.Digest["Service"],
  signal: DeliverySignal["Service"]
): KycStore["Service"] =>
  KycStore.of({
    begin: (lookup, decide) => commit(state, digest, signal, () => beginning(state, lookup, decide)),

    find: (scope, reference) => Effect.sync(() => Option.fromUndefinedOr(found(state, scope, reference))),

    claim: (claim) => Effect.sync(() => dueOf(state, claim).map((stored) => take(state, stored, claim.leasedUntil))),

    lease: (id, now, leasedUntil) =>
      Effect.sync(() => {
        const stored = state.verifications.get(id)
        return stored !== undefined && isFree(stored, now)
          ? Option.some(take(state, stored, leasedUntil))
          : Option.none()
      }),

    leaseCalled: (called, leasedUntil, spared) =>
      Effect.sync(() => {
        const stored = meant(state, called, spared)
        return stored === undefined ? Option.none() : Option.some(take(state, stored, leasedUntil))
      }),

    reroute: (leased, provider, leasedUntil) =>
      Effect.sync(() => {
        const stored = leasedBy(state, leased)
        if (stored === undefined || stored.verification.providerReference !== undefined) return false
        const verification = { ...stored.verification, provider }
        state.verifications.set(verification.id, { ...stored, verification, leasedUntil })
        return true
      }),

    settle: (progress) => Effect.suspend(() => saved(state, signal, progress)),

    forgetAnswers: (madeBefore, limit) =>
      Effect.sync(() => {
        const forgotten = forgettable(state, madeBefore, limit)
        for (const stored of forgotten) forget(state, stored)
        return forgotten.length
      })
  })

export const layer: Layer.Layer<KycStore, never, MemoryState | Digest.Digest | DeliverySignal> = Layer.effect(
  KycStore,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* Digest.Digest, yield* DeliverySignal)
  })
)
