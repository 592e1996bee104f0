import type { VerificationId } from "@surety/core/Ids"
import { type HeldVerification, KycStore } from "@surety/core/kyc/KycStore"
import * as Holds from "@surety/testing/kyc/KycHoldLaws"
import * as Progress from "@surety/testing/kyc/KycProgressLaws"
import { DateTime, Effect, Option } from "effect"
import { type Broken, broken, lookThenAct, type State } from "./Broken.js"

type Store = KycStore["Service"]

/** Makes a verification nobody's. */
const letGo = (state: State, id: VerificationId): void => {
  const stored = state.verifications.get(id)
  if (stored !== undefined) state.verifications.set(id, { ...stored, heldUntil: undefined })
}

const letAllGo = (state: State): void => {
  for (const id of state.verifications.keys()) letGo(state, id)
}

/** What is held as if its holder were the latest. */
const asLatest = (state: State, held: HeldVerification): HeldVerification => ({
  ...held,
  fence: state.verifications.get(held.verification.id)?.fence ?? held.fence
})

/** Makes a verification as it was before it ended. */
const reopen = (state: State, held: HeldVerification): void => {
  const stored = state.verifications.get(held.verification.id)
  if (stored === undefined) return
  const { verification } = held
  state.verifications.set(verification.id, { ...stored, verification, dueAt: held.dueAt, fence: held.fence })
}

/** Claims one after the other from what it has seen to be free before. */
const claimingLater =
  (sound: Store, state: State): Store["claim"] =>
  (claim) =>
    lookThenAct(
      () =>
        [...state.verifications.values()]
          .filter(({ heldUntil }) => heldUntil === undefined || DateTime.isLessThanOrEqualTo(heldUntil, claim.now))
          .map(({ verification: { id } }) => id),
      (free) => {
        for (const id of free) letGo(state, id)
        return sound.claim(claim)
      }
    )

export const brokenStores: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "looks whether verifications are free before, not when it takes them",
    (sound, state) => ({
      claim: claimingLater(sound, state),
      hold: (id, now, until) =>
        lookThenAct(
          () => state.verifications.get(id)?.heldUntil === undefined,
          (free) => {
            if (free) letGo(state, id)
            return sound.hold(id, now, until)
          }
        )
    }),
    [Holds.makerHolds, Holds.holdsOnce, Holds.sharesWorkOut]
  ),
  broken(
    KycStore,
    "claims what somebody holds",
    (sound, state) => ({
      claim: (claim) =>
        Effect.suspend(() => {
          letAllGo(state)
          return sound.claim(claim)
        })
    }),
    [Holds.makerHolds, Holds.claimsWhatIsDue, Holds.sharesWorkOut, Progress.holderKeepsIt]
  ),
  broken(
    KycStore,
    "never lets a hold end",
    (sound) => ({ hold: (id, now, until) => sound.hold(id, now, DateTime.add(until, { years: 100 })) }),
    [Holds.holdsOnce]
  ),
  broken(
    KycStore,
    "claims the newest first",
    (sound) => ({
      claim: (claim) => Effect.map(sound.claim(claim), (held) => held.toReversed())
    }),
    [Holds.claimsWhatIsDue]
  ),
  broken(
    KycStore,
    "claims more than it is asked for",
    (sound) => ({ claim: (claim) => sound.claim({ ...claim, limit: claim.limit + 1 }) }),
    [Holds.claimsWhatIsDue, Holds.sharesWorkOut]
  ),
  broken(
    KycStore,
    "claims what is not due yet",
    (sound) => ({ claim: (claim) => sound.claim({ ...claim, now: DateTime.add(claim.now, { minutes: 2 }) }) }),
    [Holds.claimsOne, Holds.makerHolds, Holds.claimsWhatIsDue]
  ),
  broken(
    KycStore,
    "claims whatever is due, whichever was asked for",
    (sound) => ({ claim: ({ id: _, ...claim }) => sound.claim(claim) }),
    [Holds.claimsOne]
  ),
  broken(KycStore, "takes no verification from its holder", () => ({ seize: () => Effect.succeed(Option.none()) }), [
    Holds.seizes,
    Holds.seizesNewest
  ]),
  broken(
    KycStore,
    "seizes at the word of any provider",
    (sound, state) => ({
      seize: (called, until) =>
        Effect.suspend(() => {
          const meant = [...state.verifications.values()].find(
            ({ verification: { id, providerReference } }) =>
              id === called.reference ||
              (providerReference !== undefined && providerReference === called.providerReference)
          )
          return sound.seize({ ...called, provider: meant?.verification.provider ?? called.provider }, until)
        })
    }),
    [Holds.seizes]
  ),
  broken(
    KycStore,
    "seizes the oldest of the provider's reference",
    (sound, state) => ({
      seize: (called, until) =>
        Effect.suspend(() => {
          const oldest = [...state.verifications.values()].find(
            ({ dueAt, verification }) =>
              dueAt !== undefined && verification.providerReference === called.providerReference
          )
          return sound.seize({ ...called, reference: called.reference ?? oldest?.verification.id }, until)
        })
    }),
    [Holds.seizesNewest]
  ),
  broken(
    KycStore,
    "gives every holder the same fence",
    (sound, state) => ({
      hold: (id, now, until) =>
        Effect.map(
          sound.hold(id, now, until),
          Option.map((held) => {
            const stored = state.verifications.get(id)
            if (stored !== undefined) state.verifications.set(id, { ...stored, fence: 1 })
            return { ...held, fence: 1 }
          })
        )
    }),
    [Holds.holdsOnce, Progress.fencesKeepOlderHolderOut]
  ),
  broken(
    KycStore,
    "ignores the fence",
    (sound, state) => ({
      save: (progress) => Effect.suspend(() => sound.save({ ...progress, held: asLatest(state, progress.held) }))
    }),
    [Progress.fencesKeepOlderHolderOut, Holds.seizes]
  ),
  broken(
    KycStore,
    "checks the fence before, not in the commit",
    (sound, state) => ({
      save: (progress) =>
        lookThenAct(
          () => {
            const stored = state.verifications.get(progress.held.verification.id)
            return stored?.dueAt !== undefined && stored.fence === progress.held.fence
          },
          (isHeld) => {
            if (isHeld) reopen(state, progress.held)
            return sound.save(progress)
          }
        )
    }),
    [Progress.oneOutcome]
  ),
  broken(
    KycStore,
    "lets a verification go with every save",
    (sound) => ({ save: (progress) => sound.save({ ...progress, heldUntil: undefined }) }),
    [Progress.holderKeepsIt]
  ),
  broken(
    KycStore,
    "saves over what has ended",
    (sound, state) => ({
      save: (progress) =>
        Effect.suspend(() => {
          reopen(state, progress.held)
          return sound.save(progress)
        })
    }),
    [Progress.savesAndRaises, Progress.oneOutcome]
  )
]
