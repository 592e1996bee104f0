import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { KycStore, type VerificationProgress } from "@surety/core/kyc/KycStore"
import type { Verification } from "@surety/core/kyc/Verification"
import { environmentKey } from "@surety/core/memory/MemoryState"
import * as Consumers from "@surety/testing/ConsumerStoreLaws"
import * as Progress from "@surety/testing/KycProgressLaws"
import * as Scopes from "@surety/testing/KycScopeLaws"
import { DateTime, Effect, Option } from "effect"
import { type Broken, broken, type State } from "./Broken.js"
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

const consumerOf = (state: State, { environment, userId }: Verification) =>
  state.consumers.get(environmentKey(environment, userId))

const raises: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "raises nobody",
    (sound) => ({ save: (progress) => sound.save({ ...progress, raisesConsumer: false }) }),
    [Progress.savesAndRaises, Progress.raisesOnlyWhenTold]
  ),
  broken(
    KycStore,
    "raises whoever was verified, told or not",
    (sound) => ({
      save: (progress) => sound.save({ ...progress, raisesConsumer: progress.verification.status === "VERIFIED" })
    }),
    [Progress.raisesOnlyWhenTold]
  ),
  broken(
    KycStore,
    "takes the tier away where the verification has none",
    (sound, state) => ({
      save: spoilingSaves(sound, ({ verification }) => {
        const consumer = consumerOf(state, verification)
        if (consumer === undefined || verification.tier !== undefined) return
        const { kycTier: _, ...rest } = consumer
        state.consumers.set(environmentKey(verification.environment, verification.userId), rest)
      })
    }),
    [Progress.raisesOnlyWhenTold]
  ),
  broken(
    KycStore,
    "raises the person in both environments",
    (sound, state) => ({
      save: spoilingSaves(sound, ({ verification: { userId } }) => {
        for (const [key, consumer] of state.consumers) {
          if (consumer.id === userId) state.consumers.set(key, { ...consumer, kycStatus: "VERIFIED" })
        }
      })
    }),
    [Progress.raisesInOneEnvironment]
  ),
  broken(
    KycStore,
    "raises before it has looked at the fence",
    (sound, state) => ({
      save: (progress) =>
        Effect.suspend(() => {
          const { environment, userId } = progress.verification
          const consumer = consumerOf(state, progress.verification)
          if (consumer !== undefined && progress.raisesConsumer) {
            state.consumers.set(environmentKey(environment, userId), { ...consumer, kycStatus: "VERIFIED" })
          }
          return sound.save(progress)
        })
    }),
    [Progress.fencesKeepOlderHolderOut]
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
