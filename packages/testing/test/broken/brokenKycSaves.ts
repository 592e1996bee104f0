import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import type { KnownPerson } from "@surety/core/kyc/evidence/KycStanding"
import { KycStore, type VerificationProgress } from "@surety/core/kyc/KycStore"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { environmentKey } from "@surety/core/memory/MemoryState"
import * as Consumers from "@surety/testing/consumer/ConsumerStoreLaws"
import { proofOf } from "@surety/testing/kyc/FreshVerification"
import * as Evidence from "@surety/testing/kyc/KycEvidenceLaws"
import * as Progress from "@surety/testing/kyc/KycProgressLaws"
import * as Scopes from "@surety/testing/kyc/KycScopeLaws"
import { DateTime, Effect, Option } from "effect"
import { type Broken, broken, lookThenAct, type State } from "./Broken.js"
import { change } from "./brokenKyc.js"

type Store = KycStore["Service"]

/** Saves as it should, and then does something to the state, where it was saved. */
const spoilingSaves =
  (sound: Store, spoil: (progress: VerificationProgress) => void): Store["save"] =>
  (progress) =>
    Effect.tap(sound.save(progress), (kept) =>
      Effect.sync(() => {
        if (Option.isSome(kept)) spoil(progress)
      })
    )

/** Saves as it should, with a standing that is decided on something else than what is stored. */
const decidingOn =
  (sound: Store, change: (known: KnownPerson, evidence: KycEvidence) => KnownPerson): Store["save"] =>
  (progress) => {
    const { proof } = progress
    return sound.save({
      ...progress,
      proof: proof && { ...proof, standingOf: (known) => proof.standingOf(change(known, proof.evidence)) }
    })
  }

const consumerOf = (state: State, { environment, userId }: Verification) =>
  state.consumers.get(environmentKey(environment, userId))

const raises: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "proves nothing",
    (sound) => ({ save: (progress) => sound.save({ ...progress, proof: undefined }) }),
    [Progress.savesAndRaises, Evidence.appendsEvidence, Evidence.everyEndLeavesEvidence]
  ),
  broken(
    KycStore,
    "proves whatever has ended, told or not",
    (sound) => ({
      save: (progress) => sound.save({ ...progress, proof: progress.proof ?? proofOf(progress.verification) })
    }),
    [Evidence.unprovenLeavesNone]
  ),
  broken(
    KycStore,
    "keeps the latest evidence of each kind only",
    (sound, state) => ({
      save: spoilingSaves(sound, ({ proof }) => {
        for (const [id, { kind, userId }] of state.kycEvidence) {
          const isEarlier = id !== proof?.evidence.verificationId
          if (isEarlier && userId === proof?.evidence.userId && kind === proof.evidence.kind)
            state.kycEvidence.delete(id)
        }
      })
    }),
    [Evidence.everyEndLeavesEvidence]
  ),
  broken(
    KycStore,
    "shows a decision the evidence of one merchant only",
    (sound) => ({
      save: decidingOn(sound, ({ evidence, ...known }, { merchantId }) => ({
        ...known,
        evidence: evidence.filter((each) => each.merchantId === merchantId)
      }))
    }),
    [Evidence.appendsEvidence]
  ),
  broken(
    KycStore,
    "shows evidence in the order in which it came",
    (sound, state) => ({
      save: decidingOn(sound, (known) => ({
        ...known,
        evidence: [...state.kycEvidence.values()].filter((each) => known.evidence.includes(each))
      }))
    }),
    [Evidence.appendsEvidence]
  ),
  broken(
    KycStore,
    "never takes a status away",
    (sound) => ({
      save: (progress) =>
        sound.save({
          ...progress,
          proof: progress.proof && {
            ...progress.proof,
            standingOf: (known) => {
              const standing = progress.proof?.standingOf(known) ?? known
              return { ...standing, kycStatus: standing.kycStatus ?? known.kycStatus }
            }
          }
        })
    }),
    [Evidence.appendsEvidence]
  ),
  broken(
    KycStore,
    "has one standing for both environments",
    (sound, state) => ({
      save: spoilingSaves(sound, ({ verification: { userId } }) => {
        for (const [key, consumer] of state.consumers) {
          if (consumer.id === userId) state.consumers.set(key, { ...consumer, kycStatus: "VERIFIED" })
        }
      })
    }),
    [Evidence.evidenceOfOneEnvironment]
  ),
  broken(
    KycStore,
    "has one body of evidence for both environments",
    (sound, state) => ({
      save: decidingOn(sound, (known, { userId }) => ({
        ...known,
        evidence: [...state.kycEvidence.values()].filter((each) => each.userId === userId)
      }))
    }),
    [Evidence.evidenceOfOneEnvironment]
  ),
  broken(
    KycStore,
    "keeps evidence before it has looked at the fence",
    (sound, state) => ({
      save: (progress) =>
        Effect.suspend(() => {
          const evidence = progress.proof?.evidence
          if (evidence !== undefined) state.kycEvidence.set(evidence.verificationId, evidence)
          return sound.save(progress)
        })
    }),
    [Evidence.lostHoldProvesNothing]
  ),
  broken(
    KycStore,
    "raises before it has looked at the fence",
    (sound, state) => ({
      save: (progress) =>
        Effect.suspend(() => {
          const { environment, userId } = progress.verification
          const consumer = consumerOf(state, progress.verification)
          if (consumer !== undefined && progress.proof !== undefined) {
            state.consumers.set(environmentKey(environment, userId), { ...consumer, kycStatus: "VERIFIED" })
          }
          return sound.save(progress)
        })
    }),
    [Progress.fencesKeepOlderHolderOut, Evidence.lostHoldProvesNothing]
  ),
  broken(
    KycStore,
    "decides on the evidence that it read, and commits later without looking again",
    (sound, state) => ({
      save: (progress) =>
        lookThenAct(
          () => [...state.kycEvidence.values()].filter(({ userId }) => userId === progress.verification.userId),
          (evidence) => decidingOn(sound, (known) => ({ ...known, evidence }))(progress)
        )
    }),
    [Evidence.everyEndLeavesEvidence]
  ),
  broken(
    ConsumerStore,
    "keeps nothing of a consumer's verification",
    (sound) => ({
      insert: ({ kycStatus: _, kycTier: __, ...consumer }, link) => sound.insert(consumer, link)
    }),
    [Consumers.keepsConsumer]
  )
]

const answers: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "keeps the latest answer",
    (sound, state) => ({
      save: (progress) =>
        Effect.map(
          spoilingSaves(sound, ({ answer, held }) =>
            change(state, held.verification.id, (stored) => ({
              ...stored,
              kept: stored.kept && { ...stored.kept, answer }
            }))
          )(progress),
          Option.map(() => progress.answer)
        )
    }),
    [Progress.keepsFirstAnswer]
  ),
  broken(
    KycStore,
    "forgets the answers of open verifications too",
    (sound, state) => ({
      forgetAnswers: (madeBefore, limit) =>
        Effect.suspend(() => {
          for (const [id, { verification }] of state.verifications) {
            if (DateTime.isLessThan(verification.createdAt, madeBefore)) {
              change(state, id, (stored) => ({ ...stored, kept: undefined }))
            }
          }
          return sound.forgetAnswers(madeBefore, limit)
        })
    }),
    [Scopes.forgetsAnswers]
  ),
  broken(
    KycStore,
    "forgets without regard to when it was made",
    (sound) => ({
      forgetAnswers: (madeBefore, limit) => sound.forgetAnswers(DateTime.add(madeBefore, { days: 1 }), limit)
    }),
    [Scopes.forgetsAnswers]
  ),
  broken(
    KycStore,
    "forgets more than it is asked to",
    (sound) => ({ forgetAnswers: (madeBefore, limit) => sound.forgetAnswers(madeBefore, limit + 1) }),
    [Scopes.forgetsOldestFirst]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...raises, ...answers]
