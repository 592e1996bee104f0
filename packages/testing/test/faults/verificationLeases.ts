import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import type { KnownPerson } from "@surety/core/kyc/evidence/KycStanding"
import { KycStore, type LeasedVerification, type VerificationProgress } from "@surety/core/kyc/KycStore"
import { environmentKey } from "@surety/core/memory/MemoryState"
import { proofOf } from "@surety/testing/kyc/FreshVerification"
import * as Evidence from "@surety/testing/kyc/KycEvidenceLaws"
import * as Leases from "@surety/testing/kyc/KycLeaseLaws"
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
type Save = Store["settle"]

const fault = faultsOf(KycStore)

const free = (state: State, id: LeasedVerification["verification"]["id"]): void =>
  edit(state.verifications, id, (stored) => ({ ...stored, leasedUntil: undefined }))

const isFreeAt = (until: DateTime.Utc | undefined, now: DateTime.Utc): boolean =>
  until === undefined || DateTime.isLessThanOrEqualTo(until, now)

const reopen = (state: State, { dueAt, fence, verification }: LeasedVerification): void =>
  edit(state.verifications, verification.id, (stored) => ({ ...stored, verification, dueAt, fence }))

const leases: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "finds free verifications before it leases them",
    [Leases.makerHolds, Leases.holdsOnce, Leases.sharesWorkOut],
    ({ claim, lease }, state) => ({
      claim: (wanted) =>
        lookThenAct(
          () => [...state.verifications.values()].filter(({ leasedUntil }) => isFreeAt(leasedUntil, wanted.now)),
          (found) => {
            for (const { verification } of found) free(state, verification.id)
            return claim(wanted)
          }
        ),
      lease: (id, now, until) =>
        lookThenAct(
          () => state.verifications.get(id)?.leasedUntil === undefined,
          (isFree) => {
            if (isFree) free(state, id)
            return lease(id, now, until)
          }
        )
    })
  ),
  before(
    fault(
      "claim",
      "ignores leases",
      Leases.makerHolds,
      Leases.claimsWhatIsDue,
      Leases.sharesWorkOut,
      Progress.holderKeepsIt
    ),
    (state) => editAll(state.verifications, (stored) => ({ ...stored, leasedUntil: undefined }))
  ),
  asking(fault("lease", "never ends a lease", Leases.holdsOnce), ([id, now, until]) => [
    id,
    now,
    DateTime.add(until, { years: 100 })
  ]),
  answering(fault("claim", "claims the newest first", Leases.claimsWhatIsDue), (leased) => leased.toReversed()),
  asking(fault("claim", "claims more than the limit", Leases.claimsWhatIsDue, Leases.sharesWorkOut), ([claim]) => [
    { ...claim, limit: claim.limit + 1 }
  ]),
  asking(
    fault("claim", "claims what is not due yet", Leases.claimsOne, Leases.makerHolds, Leases.claimsWhatIsDue),
    ([claim]) => [{ ...claim, now: DateTime.add(claim.now, { minutes: 2 }) }]
  ),
  asking(fault("claim", "ignores which verification to claim", Leases.claimsOne), ([{ id: _, ...claim }]) => [claim]),
  instead(
    fault("leaseCalled", "leases nothing", Leases.leasesForCall, Leases.leasesNewest),
    () => () => Effect.succeed(Option.none())
  ),
  asking(fault("leaseCalled", "leases for any provider", Leases.leasesForCall), ([called, until], state) => {
    const meant = [...state.verifications.values()].find(
      ({ verification: { id, providerReference } }) =>
        id === called.reference || (providerReference !== undefined && providerReference === called.providerReference)
    )
    return [{ ...called, provider: meant?.verification.provider ?? called.provider }, until]
  }),
  asking(
    fault("leaseCalled", "leases the oldest of the provider's reference", Leases.leasesNewest),
    ([called, until], state) => {
      const oldest = [...state.verifications.values()].find(
        ({ dueAt, verification }) => dueAt !== undefined && verification.providerReference === called.providerReference
      )
      return [{ ...called, reference: called.reference ?? oldest?.verification.id }, until]
    }
  ),
  asking(fault("leaseCalled", "leases for a hint what another has", Leases.leasesForHint), ([called, until, spared]) =>
    spared?.status === undefined ? [called, until] : [called, until, spared]
  ),
  asking(
    fault("leaseCalled", "leases for a repeated action what another has", Leases.leasesForRepeat),
    ([called, until, spared]) => (spared?.status === undefined ? [called, until, spared] : [called, until])
  ),
  asking(
    fault("leaseCalled", "spares what another has in any status", Leases.leasesForRepeat),
    ([called, until, spared]) => [called, until, spared && { leasedAt: spared.leasedAt }]
  ),
  before(fault("reroute", "ignores the fence", Leases.reroutes), (state, [leased]) =>
    edit(state.verifications, leased.verification.id, (stored) => ({ ...stored, fence: leased.fence }))
  ),
  before(fault("reroute", "reroutes what a provider has confirmed", Leases.reroutes), (state, [leased]) =>
    edit(state.verifications, leased.verification.id, (stored) => {
      const { providerReference: _, ...verification } = stored.verification
      return { ...stored, verification }
    })
  ),
  asking(fault("reroute", "does not renew the lease", Leases.reroutes), ([leased, provider]) => [
    leased,
    provider,
    leased.verification.createdAt
  ]),
  asking(fault("settle", "forgets how many codes were passed on", Progress.keepsAction), ([progress]) => [
    { ...progress, codes: 0 }
  ]),
  asking(fault("settle", "forgets what the holder must do", Progress.keepsAction), ([progress]) => {
    const { nextAction: _, ...verification } = progress.verification
    return [{ ...progress, verification }]
  }),
  answering(
    fault("lease", "gives every lease the same fence", Leases.holdsOnce, Progress.fencesKeepOlderLeaseOut),
    (leased, state, [id]) => {
      if (Option.isSome(leased)) edit(state.verifications, id, (stored) => ({ ...stored, fence: 1 }))
      return Option.map(leased, (one) => ({ ...one, fence: 1 }))
    }
  ),
  asking(
    fault("settle", "ignores the fence", Progress.fencesKeepOlderLeaseOut, Leases.leasesForCall),
    ([progress], state) => {
      const fence = state.verifications.get(progress.leased.verification.id)?.fence ?? progress.leased.fence
      return [{ ...progress, leased: { ...progress.leased, fence } }]
    }
  ),
  lookingFirst(
    fault("settle", "checks the fence before the commit", Progress.oneOutcome),
    (state, [{ leased }]) => {
      const stored = state.verifications.get(leased.verification.id)
      return stored?.dueAt !== undefined && stored.fence === leased.fence
    },
    (isHeld, save, [progress], state) => {
      if (isHeld) reopen(state, progress.leased)
      return save(progress)
    }
  ),
  asking(fault("settle", "releases the lease with every save", Progress.holderKeepsIt), ([progress]) => [
    { ...progress, leasedUntil: undefined }
  ]),
  before(
    fault("settle", "overwrites an ended verification", Progress.savesAndRaises, Progress.oneOutcome),
    (state, [{ event, leased }]) => {
      reopen(state, leased)
      if (event !== undefined) state.events.delete(event.id)
    }
  )
]

const afterSave = (row: Row<Save>, change: (state: State, progress: VerificationProgress) => unknown): Broken =>
  after(row, (state, kept, [progress]) => (Option.isSome(kept) ? change(state, progress) : undefined))

/** Returns a copy of the progress in which the proof's `standingOf`, if any, decides on a changed `KnownPerson`. */
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
    fault(
      "settle",
      "proves nothing",
      Progress.savesAndRaises,
      Evidence.appendsEvidence,
      Evidence.everyEndLeavesEvidence
    ),
    ([progress]) => [{ ...progress, proof: undefined }]
  ),
  asking(fault("settle", "proves every ended verification", Evidence.unprovenLeavesNone), ([progress]) => [
    { ...progress, proof: progress.proof ?? proofOf(progress.verification) }
  ]),
  afterSave(
    fault("settle", "keeps the latest evidence of each kind only", Evidence.everyEndLeavesEvidence),
    (state, { proof }) => {
      for (const [id, { kind, userId }] of state.kycEvidence) {
        const isEarlier = id !== proof?.evidence.verificationId
        if (isEarlier && userId === proof?.evidence.userId && kind === proof.evidence.kind) state.kycEvidence.delete(id)
      }
    }
  ),
  decidingOn(
    fault("settle", "shows a decision one merchant's evidence only", Evidence.appendsEvidence),
    ({ evidence, ...known }, { merchantId }) => ({
      ...known,
      evidence: evidence.filter((each) => each.merchantId === merchantId)
    })
  ),
  decidingOn(
    fault("settle", "shows evidence in the order of arrival", Evidence.appendsEvidence),
    (known, _, state) => ({
      ...known,
      evidence: [...state.kycEvidence.values()].filter((each) => known.evidence.includes(each))
    })
  ),
  asking(fault("settle", "never removes a status", Evidence.appendsEvidence), ([progress]) => {
    const { proof } = progress
    if (proof === undefined) return [progress]
    const standingOf = (known: KnownPerson) => {
      const standing = proof.standingOf(known)
      return { ...standing, kycStatus: standing.kycStatus ?? known.kycStatus }
    }
    return [{ ...progress, proof: { ...proof, standingOf } }]
  }),
  afterSave(
    fault("settle", "has one standing for both environments", Evidence.evidenceOfOneEnvironment),
    (state, { verification: { userId } }) =>
      editAll(state.consumers, (consumer) =>
        consumer.userId === userId ? { ...consumer, kycStatus: "VERIFIED" as const } : consumer
      )
  ),
  decidingOn(
    fault("settle", "mixes the evidence of both environments", Evidence.evidenceOfOneEnvironment),
    (known, { userId }, state) => ({
      ...known,
      evidence: [...state.kycEvidence.values()].filter((each) => each.userId === userId)
    })
  ),
  before(
    fault("settle", "keeps evidence before it checks the fence", Evidence.lostHoldProvesNothing),
    (state, [{ proof }]) => proof && state.kycEvidence.set(proof.evidence.verificationId, proof.evidence)
  ),
  before(
    fault(
      "settle",
      "raises the status before it checks the fence",
      Progress.fencesKeepOlderLeaseOut,
      Evidence.lostHoldProvesNothing
    ),
    (state, [{ proof, verification }]) => {
      if (proof === undefined) return
      const key = environmentKey(verification.environment, verification.userId)
      edit(state.consumers, key, (consumer) => ({ ...consumer, kycStatus: "VERIFIED" as const }))
    }
  ),
  lookingFirst(
    fault("settle", "decides on evidence read before the commit", Evidence.everyEndLeavesEvidence),
    (state, [{ verification }]) =>
      [...state.kycEvidence.values()].filter(({ userId }) => userId === verification.userId),
    (evidence, save, [progress]) => save(onStanding(progress, (known) => ({ ...known, evidence })))
  )
]

const answers: ReadonlyArray<Broken> = [
  answering(
    fault("settle", "keeps the latest response", Progress.keepsFirstAnswer),
    (kept, state, [{ answer, leased }]) => {
      if (Option.isNone(kept)) return kept
      edit(state.verifications, leased.verification.id, (stored) => ({
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
