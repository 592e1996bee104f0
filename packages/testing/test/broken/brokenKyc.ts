import { ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import { KycStore, type VerificationLookup } from "@surety/core/kyc/KycStore"
import type {
  PriorVerification,
  VerificationPlan,
  VerificationSnapshot
} from "@surety/core/kyc/verification/decideVerification"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { isOf, type StoredVerification, scopedKey } from "@surety/core/memory/MemoryState"
import * as Audit from "@surety/testing/consent/ConsentAuditLaws"
import * as Begin from "@surety/testing/kyc/KycBeginLaws"
import * as Receipts from "@surety/testing/kyc/KycReceiptLaws"
import * as Scopes from "@surety/testing/kyc/KycScopeLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, lookThenAct, type State } from "./Broken.js"

type Store = KycStore["Service"]

/** Begins as it should, on a snapshot that is changed before it is decided on. */
const seeing =
  (sound: Store, change: (snapshot: VerificationSnapshot, lookup: VerificationLookup) => VerificationSnapshot) =>
  (...[lookup, decide]: Parameters<Store["begin"]>) =>
    sound.begin(lookup, (snapshot) => decide(change(snapshot, lookup)))

/** Begins as it should, and then does something to the state that a committed plan left. */
const spoiling =
  (sound: Store, spoil: (plan: VerificationPlan) => void): Store["begin"] =>
  (lookup, decide) =>
    Effect.tap(sound.begin(lookup, decide), (decision) =>
      Effect.sync(() => {
        if (decision._tag === "Execute") spoil(decision.plan)
      })
    )

/** Makes a stored verification another one. */
export const change = (
  state: State,
  id: Verification["id"],
  changed: (stored: StoredVerification) => StoredVerification
): void => {
  const stored = state.verifications.get(id)
  if (stored !== undefined) state.verifications.set(id, changed(stored))
}

const priorOf = ({ kept, verification }: StoredVerification): PriorVerification | undefined =>
  kept && { verificationId: verification.id, fingerprint: kept.fingerprint, answer: kept.answer }

const beginnings: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "forgets the key of what it begins",
    (sound, state) => ({
      begin: spoiling(sound, ({ idempotencyKey, verification }) => {
        state.verificationsByKey.delete(scopedKey(verification, idempotencyKey))
      })
    }),
    [Begin.commitsBeginning, Begin.oneVerificationPerKey, Begin.oneRequestPerKey]
  ),
  broken(
    KycStore,
    "keeps no tier",
    (sound, state) => ({
      begin: spoiling(sound, ({ verification: { id } }) =>
        change(state, id, ({ verification: { tier: _, ...verification }, ...rest }) => ({ ...rest, verification }))
      )
    }),
    [Begin.keepsEveryValue]
  ),
  broken(
    KycStore,
    "begins what has ended as if it were open",
    (sound, state) => ({
      begin: spoiling(sound, ({ verification: { id, createdAt } }) =>
        change(state, id, (stored) => ({
          ...stored,
          verification: { ...stored.verification, status: "PENDING" },
          dueAt: createdAt
        }))
      )
    }),
    [Begin.endedAtOnce]
  ),
  broken(
    KycStore,
    "begins without a receipt",
    (sound, state) => ({
      begin: spoiling(sound, ({ receipt }) => {
        state.receipts.delete(receipt.id)
      })
    }),
    [Receipts.beginsWithReceipt, Audit.verificationsAreReceipted]
  ),
  broken(
    KycStore,
    "appends the receipt in a commit of its own, before it knows whether the verification is stored",
    (sound, state) => ({
      begin: (lookup, decide) =>
        sound.begin(lookup, (snapshot) => {
          const decision = decide(snapshot)
          if (decision._tag === "Execute") {
            const { receipt } = decision.plan
            const sequence = (state.receiptChains.get(scopedKey(receipt, ""))?.sequence ?? 0) + 1
            const hash = ReceiptHash.make("1".repeat(64))
            state.receiptChains.set(scopedKey(receipt, ""), { sequence, hash })
          }
          return decision
        })
    }),
    [Receipts.failedBeginningsLeaveNoGap]
  ),
  broken(
    KycStore,
    "knows another merchant's purpose",
    (sound) => ({ begin: seeing(sound, (snapshot) => ({ ...snapshot, ownPurpose: "anything" })) }),
    [Begin.snapshotsPersons]
  ),
  broken(
    KycStore,
    "takes every person for linked",
    (sound) => ({
      begin: seeing(sound, (snapshot) => ({
        ...snapshot,
        byUserId: snapshot.byUserId && { ...snapshot.byUserId, isLinked: true },
        byServiceId: snapshot.byServiceId && { ...snapshot.byServiceId, isLinked: true }
      }))
    }),
    [Begin.snapshotsPersons, Begin.refusalLeavesKeyFree]
  ),
  broken(
    KycStore,
    "decides on what it read, and commits later without looking again",
    (sound, state) => ({
      begin: (lookup, decide) =>
        lookThenAct(
          () => state.verificationsByKey.get(scopedKey(lookup.scope, lookup.idempotencyKey)),
          (id) =>
            sound.begin(lookup, (snapshot) => {
              if (id !== undefined) return decide(snapshot)
              state.verificationsByKey.delete(scopedKey(lookup.scope, lookup.idempotencyKey))
              return decide({ ...snapshot, prior: undefined })
            })
        )
    }),
    [Begin.oneVerificationPerKey, Begin.oneRequestPerKey]
  ),
  broken(
    KycStore,
    "keeps the key of what it could not store",
    (sound, state) => ({
      begin: (lookup, decide) =>
        Effect.onError(sound.begin(lookup, decide), () =>
          Effect.sync(() => {
            const [id] = state.verifications.keys()
            if (id !== undefined) state.verificationsByKey.set(scopedKey(lookup.scope, lookup.idempotencyKey), id)
          })
        )
    }),
    [Begin.beginsAllOrNothing]
  ),
  broken(
    KycStore,
    "has one set of keys for all",
    (sound, state) => ({
      begin: seeing(sound, (snapshot, { idempotencyKey }) => {
        const stored = [...state.verifications.values()].find(({ kept }) => kept?.idempotencyKey === idempotencyKey)
        return stored === undefined ? snapshot : { ...snapshot, prior: priorOf(stored) }
      })
    }),
    [Scopes.strangersSeeNothing, Scopes.strangersShareKeys]
  )
]

/** The sound answer where there is one; else the first verification of the state for which `isFound`. */
const findingToo =
  (sound: Store, state: State, isFound: (stored: Verification, reference: string) => boolean) =>
  (...[scope, reference]: Parameters<Store["find"]>) =>
    Effect.map(sound.find(scope, reference), (found) =>
      Option.orElse(found, () =>
        Option.fromUndefinedOr(
          [...state.verifications.values()]
            .map(({ verification }) => verification)
            .find((verification) => isFound(verification, reference))
        )
      )
    )

const findings: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "finds verifications of other merchants and environments",
    (sound, state) => ({
      find: findingToo(
        sound,
        state,
        ({ id, providerReference }, reference) => id === reference || providerReference === reference
      )
    }),
    [Scopes.strangersSeeNothing, Scopes.hidesUnlinked]
  ),
  broken(
    KycStore,
    "finds verifications of persons whom the merchant may not name",
    (sound, state) => ({
      find: (scope, reference) =>
        findingToo(
          sound,
          state,
          (verification) => verification.id === reference && isOf(scope, verification)
        )(scope, reference)
    }),
    [Scopes.hidesUnlinked]
  ),
  broken(
    KycStore,
    "finds by the beginning of the provider's reference",
    (sound, state) => ({
      find: findingToo(
        sound,
        state,
        ({ providerReference }, reference) => reference !== "" && providerReference?.startsWith(reference) === true
      )
    }),
    [Scopes.newestOfProvidersReference]
  ),
  broken(
    KycStore,
    "finds the oldest of the provider's reference",
    (sound, state) => ({
      find: (scope, reference) =>
        Effect.map(sound.find(scope, reference), (found) => {
          const named = [...state.verifications.values()]
            .map(({ verification }) => verification)
            .filter(({ providerReference }) => providerReference === reference)
          return Option.map(found, (first) => named.find((one) => isOf(scope, one)) ?? first)
        })
    }),
    [Scopes.newestOfProvidersReference, Scopes.ourReferenceFirst]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...beginnings, ...findings]
