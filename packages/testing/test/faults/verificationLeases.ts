import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import type { KnownPerson } from "@surety/core/kyc/evidence/KycStanding"
import { type HeldVerification, KycStore, type VerificationProgress } from "@surety/core/kyc/KycStore"
import { environmentKey } from "@surety/core/memory/MemoryState"
import { proofOf } from "@surety/testing/kyc/FreshVerification"
import * as Evidence from "@surety/testing/kyc/KycEvidenceLaws"
import * as Holds from "@surety/testing/kyc/KycHoldLaws"
import * as Progress from "@surety/testing/kyc/KycProgressLaws"
import * as Scopes from "@surety/testing/kyc/KycScopeLaws"
import { DateTime, Effect, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  before,
  broken,
  edit,
  editAll,
  faultsOf,
  instead,
  lookingFirst,
  lookThenAct,
  type Row,
  type State
} from "./Fault.js"

type Store = KycStore["Service"]
type Save = Store["save"]

const fault = faultsOf(KycStore)

const free = (state: State, id: HeldVerification["verification"]["id"]): void =>
  edit(state.verifications, id, (stored) => ({ ...stored, heldUntil: undefined }))

const isFreeAt = (until: DateTime.Utc | undefined, now: DateTime.Utc): boolean =>
  until === undefined || DateTime.isLessThanOrEqualTo(until, now)

/** Resets a verification to before it ended. */
const reopen = (state: State, { dueAt, fence, verification }: HeldVerification): void =>
  edit(state.verifications, verification.id, (stored) => ({ ...stored, verification, dueAt, fence }))

const leases: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "finds free verifications before it leases them",
    [Holds.makerHolds, Holds.holdsOnce, Holds.sharesWorkOut],
    ({ claim, hold }, state) => ({
      claim: (wanted) =>
        lookThenAct(
          () => [...state.verifications.values()].filter(({ heldUntil }) => isFreeAt(heldUntil, wanted.now)),
          (found) => {
            for (const { verification } of found) free(state, verification.id)
            return claim(wanted)
          }
        ),
      hold: (id, now, until) =>
        lookThenAct(
          () => state.verifications.get(id)?.heldUntil === undefined,
          (isFree) => {
            if (isFree) free(state, id)
            return hold(id, now, until)
          }
        )
    })
  ),
  before(
    fault(
      "claim",
      "ignores leases",
      Holds.makerHolds,
      Holds.claimsWhatIsDue,
      Holds.sharesWorkOut,
      Progress.holderKeepsIt
    ),
    (state) => editAll(state.verifications, (stored) => ({ ...stored, heldUntil: undefined }))
  ),
  asking(fault("hold", "never ends a lease", Holds.holdsOnce), ([id, now, until]) => [
    id,
    now,
    DateTime.add(until, { years: 100 })
  ]),
  answering(fault("claim", "claims the newest first", Holds.claimsWhatIsDue), (held) => held.toReversed()),
  asking(fault("claim", "claims more than the limit", Holds.claimsWhatIsDue, Holds.sharesWorkOut), ([claim]) => [
    { ...claim, limit: claim.limit + 1 }
  ]),
  asking(
    fault("claim", "claims what is not due yet", Holds.claimsOne, Holds.makerHolds, Holds.claimsWhatIsDue),
    ([claim]) => [{ ...claim, now: DateTime.add(claim.now, { minutes: 2 }) }]
  ),
  asking(fault("claim", "ignores which verification to claim", Holds.claimsOne), ([{ id: _, ...claim }]) => [claim]),
  instead(
    fault("seize", "seizes nothing", Holds.seizes, Holds.seizesNewest),
    () => () => Effect.succeed(Option.none())
  ),
  asking(fault("seize", "seizes for any provider", Holds.seizes), ([called, until], state) => {
    const meant = [...state.verifications.values()].find(
      ({ verification: { id, providerReference } }) =>
        id === called.reference || (providerReference !== undefined && providerReference === called.providerReference)
    )
    return [{ ...called, provider: meant?.verification.provider ?? called.provider }, until]
  }),
  asking(
    fault("seize", "seizes the oldest of the provider's reference", Holds.seizesNewest),
    ([called, until], state) => {
      const oldest = [...state.verifications.values()].find(
        ({ dueAt, verification }) => dueAt !== undefined && verification.providerReference === called.providerReference
      )
      return [{ ...called, reference: called.reference ?? oldest?.verification.id }, until]
    }
  ),
  answering(
    fault("hold", "gives every lease the same fence", Holds.holdsOnce, Progress.fencesKeepOlderHolderOut),
    (held, state, [id]) => {
      if (Option.isSome(held)) edit(state.verifications, id, (stored) => ({ ...stored, fence: 1 }))
      return Option.map(held, (one) => ({ ...one, fence: 1 }))
    }
  ),
  asking(fault("save", "ignores the fence", Progress.fencesKeepOlderHolderOut, Holds.seizes), ([progress], state) => {
    const fence = state.verifications.get(progress.held.verification.id)?.fence ?? progress.held.fence
    return [{ ...progress, held: { ...progress.held, fence } }]
  }),
  lookingFirst(
    fault("save", "checks the fence before the commit", Progress.oneOutcome),
    (state, [{ held }]) => {
      const stored = state.verifications.get(held.verification.id)
      return stored?.dueAt !== undefined && stored.fence === held.fence
    },
    (isHeld, save, [progress], state) => {
      if (isHeld) reopen(state, progress.held)
      return save(progress)
    }
  ),
  asking(fault("save", "releases the lease with every save", Progress.holderKeepsIt), ([progress]) => [
    { ...progress, heldUntil: undefined }
  ]),
  before(
    fault("save", "overwrites an ended verification", Progress.savesAndRaises, Progress.oneOutcome),
    (state, [{ held }]) => reopen(state, held)
  )
]

/** Changes the state that a save left. */
const afterSave = (row: Row<Save>, change: (state: State, progress: VerificationProgress) => unknown): Broken =>
  after(row, (state, kept, [progress]) => (Option.isSome(kept) ? change(state, progress) : undefined))

/** The save, deciding on a standing other than what is stored. */
const onStanding = (
  progress: VerificationProgress,
  change: (known: KnownPerson, evidence: KycEvidence) => KnownPerson
): VerificationProgress => {
  const { proof } = progress
  const standingOf = (known: KnownPerson) => proof?.standingOf(change(known, proof.evidence)) ?? known
  return { ...progress, proof: proof && { ...proof, standingOf } }
}

const decidingOn = (
  row: Row<Save>,
  change: (known: KnownPerson, evidence: KycEvidence, state: State) => KnownPerson
): Broken => asking(row, ([progress], state) => [onStanding(progress, (known, own) => change(known, own, state))])

const standings: ReadonlyArray<Broken> = [
  asking(
    fault("save", "proves nothing", Progress.savesAndRaises, Evidence.appendsEvidence, Evidence.everyEndLeavesEvidence),
    ([progress]) => [{ ...progress, proof: undefined }]
  ),
  asking(fault("save", "proves every ended verification", Evidence.unprovenLeavesNone), ([progress]) => [
    { ...progress, proof: progress.proof ?? proofOf(progress.verification) }
  ]),
  afterSave(
    fault("save", "keeps the latest evidence of each kind only", Evidence.everyEndLeavesEvidence),
    (state, { proof }) => {
      for (const [id, { kind, userId }] of state.kycEvidence) {
        const isEarlier = id !== proof?.evidence.verificationId
        if (isEarlier && userId === proof?.evidence.userId && kind === proof.evidence.kind) state.kycEvidence.delete(id)
      }
    }
  ),
  decidingOn(
    fault("save", "shows a decision one merchant's evidence only", Evidence.appendsEvidence),
    ({ evidence, ...known }, { merchantId }) => ({
      ...known,
      evidence: evidence.filter((each) => each.merchantId === merchantId)
    })
  ),
  decidingOn(fault("save", "shows evidence in the order of arrival", Evidence.appendsEvidence), (known, _, state) => ({
    ...known,
    evidence: [...state.kycEvidence.values()].filter((each) => known.evidence.includes(each))
  })),
  asking(fault("save", "never removes a status", Evidence.appendsEvidence), ([progress]) => {
    const { proof } = progress
    if (proof === undefined) return [progress]
    const standingOf = (known: KnownPerson) => {
      const standing = proof.standingOf(known)
      return { ...standing, kycStatus: standing.kycStatus ?? known.kycStatus }
    }
    return [{ ...progress, proof: { ...proof, standingOf } }]
  }),
  afterSave(
    fault("save", "has one standing for both environments", Evidence.evidenceOfOneEnvironment),
    (state, { verification: { userId } }) =>
      editAll(state.consumers, (consumer) =>
        consumer.id === userId ? { ...consumer, kycStatus: "VERIFIED" as const } : consumer
      )
  ),
  decidingOn(
    fault("save", "mixes the evidence of both environments", Evidence.evidenceOfOneEnvironment),
    (known, { userId }, state) => ({
      ...known,
      evidence: [...state.kycEvidence.values()].filter((each) => each.userId === userId)
    })
  ),
  before(
    fault("save", "keeps evidence before it checks the fence", Evidence.lostHoldProvesNothing),
    (state, [{ proof }]) => proof && state.kycEvidence.set(proof.evidence.verificationId, proof.evidence)
  ),
  before(
    fault(
      "save",
      "raises the status before it checks the fence",
      Progress.fencesKeepOlderHolderOut,
      Evidence.lostHoldProvesNothing
    ),
    (state, [{ proof, verification }]) => {
      if (proof === undefined) return
      const key = environmentKey(verification.environment, verification.userId)
      edit(state.consumers, key, (consumer) => ({ ...consumer, kycStatus: "VERIFIED" as const }))
    }
  ),
  lookingFirst(
    fault("save", "decides on evidence read before the commit", Evidence.everyEndLeavesEvidence),
    (state, [{ verification }]) =>
      [...state.kycEvidence.values()].filter(({ userId }) => userId === verification.userId),
    (evidence, save, [progress]) => save(onStanding(progress, (known) => ({ ...known, evidence })))
  )
]

const answers: ReadonlyArray<Broken> = [
  answering(
    fault("save", "keeps the latest response", Progress.keepsFirstAnswer),
    (kept, state, [{ answer, held }]) => {
      if (Option.isNone(kept)) return kept
      edit(state.verifications, held.verification.id, (stored) => ({
        ...stored,
        kept: stored.kept && { ...stored.kept, answer }
      }))
      return Option.some(answer)
    }
  ),
  before(
    fault("forgetAnswers", "forgets the responses of open verifications", Scopes.forgetsAnswers),
    (state, [madeBefore]) =>
      editAll(state.verifications, (stored) =>
        DateTime.isLessThan(stored.verification.createdAt, madeBefore) ? { ...stored, kept: undefined } : stored
      )
  ),
  asking(fault("forgetAnswers", "forgets recent responses", Scopes.forgetsAnswers), ([madeBefore, limit]) => [
    DateTime.add(madeBefore, { days: 1 }),
    limit
  ]),
  asking(fault("forgetAnswers", "forgets more than the limit", Scopes.forgetsOldestFirst), ([madeBefore, limit]) => [
    madeBefore,
    limit + 1
  ])
]

export const brokenStores: ReadonlyArray<Broken> = [...leases, ...standings, ...answers]
