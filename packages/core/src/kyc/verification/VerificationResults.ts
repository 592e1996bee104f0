import { Context, DateTime, Duration, Effect, Fiber, Layer, Option, type Redacted } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { VerificationId } from "../../Ids.js"
import type { Responses } from "../../idempotency/Responses.js"
import { innermostMessage } from "../../innermostMessage.js"
import { type StoreError, skipDamaged } from "../../StoreError.js"
import { CodeChannelUnknown, KycProviderUnavailable, VerificationBusy, VerificationNeedsNoAction } from "../KycError.js"
import { mostCodes } from "../KycSchedule.js"
import { KycSettings } from "../KycSettings.js"
import {
  type CalledVerification,
  KycStore,
  type LeasedVerification,
  type SparedLeases,
  type VerificationProgress
} from "../KycStore.js"
import { canLookUp } from "../provider/KycCapabilities.js"
import { type KycOutcome, recognised } from "../provider/KycOutcome.js"
import { KycProviders } from "../provider/KycProviders.js"
import { type CodeChannel, isExpired } from "./NextAction.js"
import * as planProgress from "./planProgress.js"
import { makeMomentNow, noteSaved, savingSurely } from "./savedProgress.js"
import type { Verification } from "./Verification.js"

/**
 * Commits the results of lookups, providers' callbacks and the holder's codes. The outcomes of submissions and their
 * retries are committed by `Submissions`.
 */
export class VerificationResults extends Context.Service<
  VerificationResults,
  {
    /** Looks this verification up. Returns false and does nothing if it has ended, is leased, or has no lookup due. */
    readonly look: (id: VerificationId) => Effect.Effect<boolean, StoreError>

    /** Looks up every due verification that is not leased, including those a crash interrupted. Returns the count. */
    readonly recover: Effect.Effect<number, StoreError>

    /**
     * Commits the outcome of a provider's callback, or of the holder's decision on the sandbox's page. Returns false
     * and changes nothing if the verification is unknown or has ended, for example after a repeated callback. Also
     * returns false if the outcome adds nothing: it is pending, unrecognised, or an action while one is already
     * awaited.
     */
    readonly called: (call: CalledVerification, outcome: KycOutcome) => Effect.Effect<boolean, StoreError>

    /**
     * Looks a verification up after a hint from its provider. Returns false and changes nothing if the lookup fails or
     * shows nothing new. Such a lookup does not use up a scheduled one. Also returns false if the verification is
     * unknown, has ended or is leased. A worker with the lease obtains the outcome itself.
     */
    readonly hinted: (call: CalledVerification) => Effect.Effect<boolean, StoreError>

    /**
     * Passes the holder's code on to the provider, and commits the outcome. Fails with:
     *
     * - `VerificationNeedsNoAction` if no code is awaited or the time to enter it has run out
     * - `CodeChannelUnknown` if `channel` is given and is not one of the action's channels
     * - `VerificationBusy` if the verification is leased or has ended
     * - `KycProviderUnavailable` if the code was not submitted and may be sent again
     */
    readonly enterCode: (
      id: VerificationId,
      code: Redacted.Redacted<string>,
      channel?: CodeChannel
    ) => Effect.Effect<
      void,
      VerificationNeedsNoAction | CodeChannelUnknown | VerificationBusy | KycProviderUnavailable | StoreError
    >
  }
>()("@surety/core/kyc/verification/VerificationResults") {}

/** Maximum number of verifications that `recover` claims and looks up at a time. */
const looksAtOnce = 8

const queryOf = ({ id, kind, providerReference }: Verification) => ({ reference: id, kind, providerReference })

const makeMoments = Effect.gen(function* () {
  const { leaseTime } = yield* KycSettings
  return { moment: yield* makeMomentNow, untilLeased: (now: DateTime.Utc) => DateTime.addDuration(now, leaseTime) }
})

const savingIn = (store: KycStore["Service"]) => (progress: VerificationProgress) =>
  Effect.tap(store.settle(progress), noteSaved(progress))

const makeLooks = Effect.gen(function* () {
  const store = yield* KycStore
  const providers = yield* KycProviders
  const { moment, untilLeased } = yield* makeMoments
  const save = savingIn(store)

  const claim = Effect.fnUntraced(function* (limit: number, id?: VerificationId) {
    const now = yield* DateTime.now
    return yield* store.claim({ now, leasedUntil: untilLeased(now), limit, id })
  })

  const lookAt = Effect.fnUntraced(function* (leased: LeasedVerification) {
    const { providerReference } = leased.verification
    const provider = providers.askedFor(leased.verification)
    if (provider !== undefined && !canLookUp(provider.capabilities, providerReference)) {
      yield* save(planProgress.afterNoLookup(leased, yield* moment))
      return
    }
    const answer =
      provider === undefined
        ? Option.none()
        : yield* Effect.option(provider.lookup({ ...queryOf(leased.verification), isDue: true }))
    const at = yield* moment
    yield* save(
      Option.isNone(answer) ? planProgress.afterSilence(leased, at) : planProgress.afterLook(leased, answer.value, at)
    )
  })

  const look = Effect.fn("VerificationResults.look")(function* (id: VerificationId) {
    const claimed = yield* claim(1, id)
    yield* Effect.forEach(claimed, lookAt, { discard: true })
    return claimed.length > 0
  })

  /** Like `lookAt`, but logs a store error. The verification is then claimed again when its lease ends. */
  const lookOrWarn = (leased: LeasedVerification) =>
    Effect.catch(skipDamaged(leased.verification.id, undefined)(lookAt(leased)), (error) =>
      Effect.logWarning("Verification lookup failed; retrying", innermostMessage(error)).pipe(
        Effect.annotateLogs({ reference: leased.verification.id })
      )
    )

  const recover = Effect.fn("VerificationResults.recover")(function* () {
    let count = 0
    while (true) {
      const claimed = yield* claim(looksAtOnce)
      yield* Effect.forEach(claimed, lookOrWarn, { concurrency: "unbounded", discard: true })
      count += claimed.length
      if (claimed.length < looksAtOnce) return count
    }
  })

  return { look, recover: recover() }
})

const makeEnterCode = Effect.gen(function* () {
  const store = yield* KycStore
  const providers = yield* KycProviders
  const { patience } = yield* KycSettings
  const { moment, untilLeased } = yield* makeMoments
  const save = savingSurely(store)
  const scope = yield* Effect.scope
  const retryAfterSeconds = Math.ceil(Duration.toSeconds(patience))

  const ask = ({ verification }: LeasedVerification, code: Redacted.Redacted<string>, channel?: CodeChannel) => {
    const provider = providers.askedFor(verification)
    if (provider === undefined) return Effect.succeed("not_submitted" as const)
    const isLost = !canLookUp(provider.capabilities, verification.providerReference)
    return provider.submitCode(queryOf(verification), code, channel).pipe(
      Effect.catchTags({
        KycNotSubmitted: () => Effect.succeed("not_submitted" as const),
        KycOutcomeUnknown: () => Effect.succeed(isLost ? ("lost" as const) : ("unknown" as const))
      })
    )
  }

  /** Counts the code before the call, so that a crash grants no extra attempt. */
  const passOn = Effect.fnUntraced(function* (
    before: LeasedVerification,
    code: Redacted.Redacted<string>,
    channel: CodeChannel | undefined,
    leasedUntil: DateTime.Utc
  ) {
    const leased = { ...before, codes: before.codes + 1 }
    const counted = yield* save(planProgress.asItStands(leased, leasedUntil, yield* moment))
    if (Option.isNone(counted)) return yield* new VerificationBusy({ retryAfterSeconds })
    const outcome = yield* ask(leased, code, channel)
    const at = yield* moment
    switch (outcome) {
      case "not_submitted":
        yield* save(planProgress.asItStands(before, undefined, at))
        return yield* new KycProviderUnavailable({ retryAfterSeconds })
      case "lost":
        return yield* save(planProgress.afterLoss(leased, at))
      case "unknown":
        return yield* save(planProgress.afterLostCode(leased, at))
      default:
        return yield* save(planProgress.afterCode(leased, outcome, at))
    }
  })

  /**
   * Succeeds if a code may be passed on now. Otherwise releases the lease and fails with the reason. If the time to
   * enter a code has run out, the verification ends.
   */
  const admitted = Effect.fnUntraced(function* (leased: LeasedVerification, channel: CodeChannel | undefined) {
    const { nextAction, status } = leased.verification
    const at = yield* moment
    if (nextAction?.type !== "CODE") {
      yield* save(planProgress.asItStands(leased, undefined, at))
      return yield* new VerificationNeedsNoAction({ status })
    }
    if (isExpired(nextAction, at.now)) {
      yield* save(planProgress.afterExpiry(leased, at))
      return yield* new VerificationNeedsNoAction({ status: "FAILED" })
    }
    // The last code was counted, but its outcome was never stored, for example because of a crash.
    if (leased.codes >= mostCodes) {
      const progress = planProgress.afterLostCode(leased, at)
      yield* save(progress)
      return yield* new VerificationNeedsNoAction({ status: progress.verification.status })
    }
    if (channel === undefined || nextAction.channels.includes(channel)) return
    yield* save(planProgress.asItStands(leased, undefined, at))
    return yield* new CodeChannelUnknown({ channels: nextAction.channels })
  })

  return Effect.fn("VerificationResults.enterCode")(function* (
    id: VerificationId,
    code: Redacted.Redacted<string>,
    channel?: CodeChannel
  ) {
    const now = yield* DateTime.now
    const leasedUntil = untilLeased(now)
    const found = yield* store.lease(id, now, leasedUntil)
    if (Option.isNone(found)) return yield* new VerificationBusy({ retryAfterSeconds })
    yield* admitted(found.value, channel)
    // The provider may charge for a code and accepts it only once, so the call outlives an interrupted caller.
    yield* Fiber.join(yield* Effect.forkIn(passOn(found.value, code, channel, leasedUntil), scope))
  })
})

const isNewsTo = ({ status }: Verification, outcome: KycOutcome): boolean =>
  outcome._tag !== "Pending" &&
  outcome._tag !== "Unrecognised" &&
  (outcome._tag !== "RequiresAction" || status !== "REQUIRES_ACTION")

const make = Effect.gen(function* () {
  const store = yield* KycStore
  const providers = yield* KycProviders
  const { moment, untilLeased } = yield* makeMoments
  const save = savingIn(store)

  /**
   * Returns the provider's current outcome. `None` if the lookup fails, or if the provider is not configured or does
   * not know the verification.
   */
  const lookedUp = (verification: Verification): Effect.Effect<Option.Option<KycOutcome>> => {
    const provider = providers.askedFor(verification)
    return provider === undefined
      ? Effect.succeedNone
      : Effect.map(Effect.option(provider.lookup(queryOf(verification))), Option.flatten)
  }
  const { look, recover } = yield* makeLooks

  const called = Effect.fn("VerificationResults.called")(function* (call: CalledVerification, said: KycOutcome) {
    const outcome = recognised(said)
    // The callback has no result, so the lease is not taken from a worker that may hold it.
    if (outcome._tag === "Pending" || outcome._tag === "Unrecognised") return false
    const now = yield* DateTime.now
    // A repeated action is not a result either. The worker may be passing on the holder's code.
    const spared: SparedLeases | undefined =
      outcome._tag === "RequiresAction" ? { leasedAt: now, status: "REQUIRES_ACTION" } : undefined
    const leased = yield* store.leaseCalled(call, untilLeased(now), spared)
    if (Option.isNone(leased)) return false
    const at = yield* moment
    if (outcome._tag === "RequiresAction" && leased.value.verification.status === "REQUIRES_ACTION") {
      // Committing the repeated action would use up a scheduled lookup each time. Frequent callbacks would use up all
      // of them.
      yield* save(planProgress.asItStands(leased.value, undefined, at))
      return false
    }
    const progress = planProgress.afterOutcome(leased.value, outcome, at)
    return Option.isSome(yield* save(progress))
  })

  const hinted = Effect.fn("VerificationResults.hinted")(function* (call: CalledVerification) {
    const now = yield* DateTime.now
    const found = yield* store.leaseCalled(call, untilLeased(now), { leasedAt: now })
    if (Option.isNone(found)) return false
    const leased = found.value
    const answer = yield* lookedUp(leased.verification)
    const at = yield* moment
    const isNews = Option.isSome(answer) && isNewsTo(leased.verification, answer.value)
    const saved = yield* save(
      isNews ? planProgress.afterOutcome(leased, answer.value, at) : planProgress.asItStands(leased, undefined, at)
    )
    return isNews && Option.isSome(saved)
  })

  return VerificationResults.of({ look, recover, called, hinted, enterCode: yield* makeEnterCode })
})

export const layer: Layer.Layer<
  VerificationResults,
  never,
  KycStore | KycProviders | Responses | SecureRandom.SecureRandom
> = Layer.effect(VerificationResults, make)
