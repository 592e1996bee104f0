import { Context, DateTime, Deferred, Duration, Effect, Exit, Layer, Option, Redacted, Semaphore } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Responses } from "../../idempotency/Responses.js"
import { innermostMessage } from "../../innermostMessage.js"
import type { StoreError } from "../../StoreError.js"
import { KycSettings } from "../KycSettings.js"
import { KycStore, type LeasedVerification } from "../KycStore.js"
import { canLookUp } from "../provider/KycCapabilities.js"
import type { KycOutcome } from "../provider/KycOutcome.js"
import type { KycProviderShape, KycSubmission } from "../provider/KycProvider.js"
import { KycProviders } from "../provider/KycProviders.js"
import * as planProgress from "./planProgress.js"
import { makeMomentNow, saveAgain, savingSurely } from "./savedProgress.js"
import type { KycFailureReason } from "./Verification.js"

/** Whether the provider may already have the submission (`perhaps`) or certainly does not (`never`). */
export type Sent = "never" | "perhaps"

/** Sends stored verifications to providers and commits the outcomes. */
export class Submissions extends Context.Service<
  Submissions,
  {
    /**
     * Submits a verification leased to the caller. Returns the response that is stored after the first round of
     * attempts, or `None` if the lease was lost.
     *
     * `leasedUntil` is the end of the lease. If a call could outlast the lease, for example after the process was
     * suspended, the lease is renewed first. If the lease has been lost, the provider is not called, so no verification
     * is paid for twice.
     *
     * Retries continue in the background if the submission fits into the free part of `retryMemoryMebibytes`. Only the
     * wait for the response is interruptible: the work continues if the caller disconnects.
     */
    readonly submit: (
      leased: LeasedVerification,
      submission: KycSubmission,
      sent: Sent,
      leasedUntil: DateTime.Utc
    ) => Effect.Effect<Option.Option<string>, StoreError>
  }
>()("@surety/core/kyc/verification/Submissions") {}

/** The stored response. `None` if the lease was lost: another worker has taken it, or the verification has ended. */
type Kept = Option.Option<string>

interface Task {
  /** The leased verification, with the provider to which it is currently assigned. */
  readonly leased: LeasedVerification
  /** Providers that may be called, in order. Those that refused the submission are removed. */
  readonly route: ReadonlyArray<KycProviderShape>
  readonly submission: KycSubmission
}

const fromAsked = ({ leased: { verification }, route }: Task): ReadonlyArray<KycProviderShape> =>
  route.slice(route.findIndex(({ name }) => name === verification.provider))

type Attempt =
  | { readonly _tag: "Answered"; readonly outcome: KycOutcome }
  /** No outcome, but another attempt may be made. */
  | { readonly _tag: "Unanswered"; readonly sent: Sent }
  /** The provider certainly does not have the submission, and would refuse it again. */
  | { readonly _tag: "Refused"; readonly reason: KycFailureReason }
  /** The provider may have the submission, but neither a lookup nor a repeat can show its outcome. */
  | { readonly _tag: "Lost" }

/** The result of trying providers in turn. `task.leased` names the provider that was called last. */
interface Round {
  readonly task: Task
  readonly made: Attempt
}

/** Wraps a commit so that its result also goes to the waiting request. */
type Report = (commit: Effect.Effect<Kept, StoreError>) => Effect.Effect<Kept, StoreError>

const mebibytesOf = ({ validation: { selfie } }: KycSubmission): number =>
  1 + Math.floor((selfie === undefined ? 0 : Redacted.value(selfie).length) / 2 ** 20)

/** Returns the result of an attempt with an unknown outcome. */
const unknownAt = ({ capabilities }: KycProviderShape): Attempt =>
  canLookUp(capabilities, undefined) || capabilities.recognisesRepeats
    ? { _tag: "Unanswered", sent: "perhaps" }
    : { _tag: "Lost" }

/**
 * A submission that may have been sent is looked up first, and sent again if it is not found. If it cannot be looked
 * up, it is sent again only if the provider recognises repeats.
 */
const attempt = (provider: KycProviderShape, submission: KycSubmission, sent: Sent): Effect.Effect<Attempt> => {
  const { kind, reference } = submission
  const canLook = canLookUp(provider.capabilities, undefined)
  if (sent === "perhaps" && !canLook && !provider.capabilities.recognisesRepeats)
    return Effect.succeed({ _tag: "Lost" })
  const mustLook = sent === "perhaps" && canLook
  const looked = mustLook ? provider.lookup({ reference, kind, providerReference: undefined }) : Effect.succeedNone
  // A rejected repeat proves nothing about the earlier call. Only a lookup shows that the provider does not have the
  // submission.
  const unsent: Attempt = { _tag: "Unanswered", sent: mustLook ? "never" : sent }
  const refused = (reason: KycFailureReason): Attempt =>
    sent === "perhaps" && !mustLook ? { _tag: "Lost" } : { _tag: "Refused", reason }
  return looked.pipe(
    Effect.flatMap(Option.match({ onNone: () => provider.submit(submission), onSome: Effect.succeed })),
    Effect.map((outcome): Attempt => ({ _tag: "Answered", outcome })),
    Effect.catchTags({
      KycNotSubmitted: ({ isRefusal, reason }) => Effect.succeed(isRefusal === true ? refused(reason) : unsent),
      KycOutcomeUnknown: () => Effect.succeed(unknownAt(provider))
    })
  )
}

/**
 * Returns the verification's provider, then the later providers in the route. Empty if the verification's provider is
 * no longer configured. A virtual NIN is issued for one vendor, so no other provider can follow.
 */
const routeFor = (
  providers: KycProviders["Service"],
  verification: LeasedVerification["verification"]
): ReadonlyArray<KycProviderShape> => {
  const asked = providers.askedFor(verification)
  if (asked === undefined) return []
  if (verification.kind === "vnin") return [asked]
  const route = providers.routeOf(verification.environment, verification.kind)
  const at = route.findIndex(({ name }) => name === asked.name)
  return at === -1 ? [asked] : route.slice(at)
}

/** Builds functions that commit a submission's progress. They retry a commit after a retryable error. */
const makeCommits = Effect.gen(function* () {
  const store = yield* KycStore
  const { leaseTime } = yield* KycSettings
  const moment = yield* makeMomentNow

  const save = savingSurely(store)

  const conclude = Effect.fnUntraced(function* (leased: LeasedVerification, made: Attempt) {
    const at = yield* moment
    switch (made._tag) {
      case "Answered":
        return yield* save(planProgress.afterOutcome(leased, made.outcome, at))
      case "Refused":
        return yield* save(planProgress.afterOutcome(leased, { _tag: "Errored", reason: made.reason }, at))
      case "Lost":
        return yield* save(planProgress.afterLoss(leased, at))
      case "Unanswered":
        return yield* save(
          made.sent === "never" ? planProgress.afterNoSubmission(leased, at) : planProgress.afterSilence(leased, at)
        )
    }
  })

  /** Renews the lease until `leaseTime` after the wait. Returns the stored response. `None` if the lease was lost. */
  const keep = Effect.fnUntraced(function* (leased: LeasedVerification, wait: Duration.Duration) {
    const at = yield* moment
    const leasedUntil = DateTime.addDuration(at.now, Duration.sum(wait, leaseTime))
    return yield* save(planProgress.asItStands(leased, leasedUntil, at))
  })

  /**
   * Assigns the verification to `provider` before the call, and renews the lease. `None` if the lease was lost.
   */
  const turnTo = Effect.fnUntraced(function* (leased: LeasedVerification, provider: string) {
    const leasedUntil = DateTime.addDuration(yield* DateTime.now, leaseTime)
    const isOurs = yield* Effect.retry(store.reroute(leased, provider, leasedUntil), {
      ...saveAgain,
      while: (error) => error.isRetryable
    })
    const verification = { ...leased.verification, provider }
    return isOurs ? Option.some<LeasedVerification>({ ...leased, verification }) : Option.none()
  })

  return { conclude, keep, turnTo }
})

const make = Effect.gen(function* () {
  const providers = yield* KycProviders
  const { providerTimeout, retryMemoryMebibytes, schedule } = yield* KycSettings
  const { conclude, keep, turnTo } = yield* makeCommits
  const scope = yield* Effect.scope
  const room = yield* Semaphore.make(retryMemoryMebibytes)

  /** Longest duration of one attempt: a lookup followed by a submission. */
  const spanOfCall = Duration.times(providerTimeout, 2)

  /**
   * Renews the lease if an attempt that starts now could outlast it. Returns false if the renewal fails because the
   * lease was lost.
   */
  const isOursStill = Effect.fnUntraced(function* (leased: LeasedVerification, leasedUntil: DateTime.Utc) {
    const endOfCall = DateTime.addDuration(yield* DateTime.now, spanOfCall)
    if (DateTime.isLessThanOrEqualTo(endOfCall, leasedUntil)) return true
    return Option.isSome(yield* keep(leased, Duration.zero))
  })

  /**
   * Tries the providers in turn until one gives an outcome or may have accepted the submission. Each is recorded as the
   * verification's provider before it is called. Without an outcome, the attempt is `Refused` only if every provider
   * in the route has refused. `None` if the lease was lost.
   */
  const askInTurn = Effect.fnUntraced(function* (task: Task, first: Sent) {
    let { leased, route } = task
    let sent = first
    let made: Attempt = { _tag: "Unanswered", sent }
    for (const provider of first === "never" ? task.route : fromAsked(task)) {
      if (provider.name !== leased.verification.provider) {
        const turned = yield* turnTo(leased, provider.name)
        if (Option.isNone(turned)) return Option.none<Round>()
        leased = turned.value
      }
      made = yield* attempt(provider, task.submission, sent)
      if (made._tag === "Refused") route = route.filter(({ name }) => name !== provider.name)
      else if (made._tag !== "Unanswered" || made.sent === "perhaps") break
      sent = "never"
    }
    if (made._tag === "Refused" && route.length > 0) made = { _tag: "Unanswered", sent: "never" }
    return Option.some<Round>({ task: { ...task, leased, route }, made })
  })

  const tryAgain = Effect.fnUntraced(function* (first: Task, firstSent: Sent, report: Report) {
    let task = first
    let sent = firstSent
    for (const wait of schedule.retries) {
      if (Option.isNone(yield* report(keep(task.leased, wait)))) return Option.none<string>()
      yield* Effect.sleep(wait)
      // Renews the lease before a call that costs money, since a suspended process may have lost it.
      if (Option.isNone(yield* keep(task.leased, Duration.zero))) return Option.none<string>()
      const round = yield* askInTurn(task, sent)
      if (Option.isNone(round)) return Option.none<string>()
      const { made } = round.value
      task = round.value.task
      if (made._tag !== "Unanswered") return yield* conclude(task.leased, made)
      sent = made.sent
    }
    return yield* conclude(task.leased, { _tag: "Unanswered", sent })
  })

  const run = Effect.fnUntraced(function* (first: Task, sent: Sent, leasedUntil: DateTime.Utc, report: Report) {
    if (!(yield* isOursStill(first.leased, leasedUntil))) return yield* report(Effect.succeedNone)
    const round = yield* askInTurn(first, sent)
    if (Option.isNone(round)) return yield* report(Effect.succeedNone)
    const { made, task } = round.value
    if (made._tag !== "Unanswered") return yield* report(conclude(task.leased, made))
    // Also reports the final result, because `tryAgain` reports no lease renewal if the schedule has no retries.
    const again = report(tryAgain(task, made.sent, report))
    const outcome = yield* Semaphore.withPermitsIfAvailable(room, mebibytesOf(task.submission), again)
    return Option.isSome(outcome) ? outcome.value : yield* report(conclude(task.leased, made))
  })

  const submit = Effect.fn("Submissions.submit")(function* (
    leased: LeasedVerification,
    submission: KycSubmission,
    sent: Sent,
    leasedUntil: DateTime.Utc
  ) {
    const route = routeFor(providers, leased.verification)
    if (route.length === 0) return yield* conclude(leased, { _tag: "Unanswered", sent: "perhaps" })
    const answered = yield* Deferred.make<Kept, StoreError>()
    const report: Report = Effect.tap((kept) => Deferred.succeed(answered, kept))
    yield* run({ leased, route, submission }, sent, leasedUntil, report).pipe(
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Deferred.failCause(answered, exit.cause) : Effect.void)),
      Effect.catch((error) =>
        Effect.logWarning("Storing a KYC outcome failed; it will be looked up", innermostMessage(error)).pipe(
          Effect.annotateLogs({ reference: leased.verification.id })
        )
      ),
      Effect.forkIn(scope)
    )
    return yield* Effect.interruptible(Deferred.await(answered))
  })

  return Submissions.of({ submit })
})

export const layer: Layer.Layer<Submissions, never, KycStore | KycProviders | Responses | SecureRandom.SecureRandom> =
  Layer.effect(Submissions, make)
