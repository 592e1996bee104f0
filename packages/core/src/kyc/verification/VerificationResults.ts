import { Context, DateTime, Duration, Effect, Fiber, Layer, Option, type Redacted } from "effect"
import type { VerificationId } from "../../Ids.js"
import type { Responses } from "../../idempotency/Responses.js"
import type { StoreError } from "../../StoreError.js"
import { KycProviderUnavailable, VerificationBusy, VerificationNeedsNoAction } from "../KycError.js"
import { KycSettings } from "../KycSettings.js"
import { type CalledVerification, KycStore, type LeasedVerification, type VerificationProgress } from "../KycStore.js"
import { type KycOutcome, recognised } from "../provider/KycProvider.js"
import { KycProviders } from "../provider/KycProviders.js"
import * as planProgress from "./planProgress.js"
import { makeMomentNow, noteSaved } from "./savedProgress.js"
import type { Verification } from "./Verification.js"

/**
 * Results that come after the answer to the submission: by lookup, by the provider's callback, or by the holder's
 * code.
 */
export class VerificationResults extends Context.Service<
  VerificationResults,
  {
    /** Looks this verification up. Returns false, and does nothing, if that is not due or it is leased. */
    readonly look: (id: VerificationId) => Effect.Effect<boolean, StoreError>

    /** Looks up every verification for which that is due, including those that a crash left. Returns how many. */
    readonly recover: Effect.Effect<number, StoreError>

    /**
     * Commits a provider's callback. Returns false, and changes nothing, if it is no news: an unknown verification, one
     * that has ended (such as a repeated callback), no result, or an unrecognised one.
     */
    readonly called: (call: CalledVerification, outcome: KycOutcome) => Effect.Effect<boolean, StoreError>

    /** Passes the holder's code on, and commits the provider's outcome. */
    readonly enterCode: (
      id: VerificationId,
      code: Redacted.Redacted<string>
    ) => Effect.Effect<void, VerificationNeedsNoAction | VerificationBusy | KycProviderUnavailable | StoreError>
  }
>()("@surety/core/kyc/verification/VerificationResults") {}

/** How many verifications are looked up at once. */
const looksAtOnce = 8

const queryOf = ({ id, providerReference }: Verification) => ({ reference: id, providerReference })

/** The current moment, and the end of a lease that begins now. */
const makeMoments = Effect.gen(function* () {
  const { leaseTime } = yield* KycSettings
  return { moment: yield* makeMomentNow, untilLeased: (now: DateTime.Utc) => DateTime.addDuration(now, leaseTime) }
})

/** Commits a progress, and counts it. */
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
    const provider = providers.askedFor(leased.verification)
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

  /** A failure leaves the others alone: that one is claimed again once its lease ends. */
  const lookOrWarn = (leased: LeasedVerification) =>
    Effect.catch(lookAt(leased), (error) =>
      Effect.logWarning("Verification lookup failed; retrying", error).pipe(
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
  const save = savingIn(store)
  const scope = yield* Effect.scope
  const retryAfterSeconds = Math.ceil(Duration.toSeconds(patience))

  const ask = (leased: LeasedVerification, code: Redacted.Redacted<string>) => {
    const provider = providers.askedFor(leased.verification)
    if (provider === undefined) return Effect.succeed("not_submitted" as const)
    return provider.submitCode(queryOf(leased.verification), code).pipe(
      Effect.catchTags({
        KycNotSubmitted: () => Effect.succeed("not_submitted" as const),
        KycOutcomeUnknown: () => Effect.succeed("unknown" as const)
      })
    )
  }

  const passOn = Effect.fnUntraced(function* (leased: LeasedVerification, code: Redacted.Redacted<string>) {
    const outcome = yield* ask(leased, code)
    const at = yield* moment
    switch (outcome) {
      case "not_submitted":
        yield* save(planProgress.asItStands(leased, undefined, at))
        return yield* new KycProviderUnavailable({ retryAfterSeconds })
      case "unknown":
        return yield* save(planProgress.afterLostCode(leased, at))
      default:
        return yield* save(planProgress.afterCode(leased, outcome, at))
    }
  })

  return Effect.fn("VerificationResults.enterCode")(function* (id: VerificationId, code: Redacted.Redacted<string>) {
    const now = yield* DateTime.now
    const found = yield* store.lease(id, now, untilLeased(now))
    if (Option.isNone(found)) return yield* new VerificationBusy({ retryAfterSeconds })
    const leased = found.value
    const { status } = leased.verification
    if (status !== "REQUIRES_ACTION") {
      yield* save(planProgress.asItStands(leased, undefined, yield* moment))
      return yield* new VerificationNeedsNoAction({ status })
    }
    // The provider may charge for a code and takes it once, so passing it on is not interrupted.
    yield* Fiber.join(yield* Effect.forkIn(passOn(leased, code), scope))
  })
})

const make = Effect.gen(function* () {
  const store = yield* KycStore
  const { moment, untilLeased } = yield* makeMoments
  const save = savingIn(store)
  const { look, recover } = yield* makeLooks

  const called = Effect.fn("VerificationResults.called")(function* (call: CalledVerification, said: KycOutcome) {
    const outcome = recognised(said)
    // No result yet, so do not take the verification from the worker that has it.
    if (outcome._tag === "Pending" || outcome._tag === "Unrecognised") return false
    const leased = yield* store.leaseCalled(call, untilLeased(yield* DateTime.now))
    if (Option.isNone(leased)) return false
    const at = yield* moment
    if (outcome._tag === "RequiresAction" && leased.value.verification.status === "REQUIRES_ACTION") {
      // Each repeat would use up a lookup, so frequent callbacks would cut the holder's time short.
      yield* save(planProgress.asItStands(leased.value, undefined, at))
      return false
    }
    const progress = planProgress.afterOutcome(leased.value, outcome, at)
    return Option.isSome(yield* save(progress))
  })

  return VerificationResults.of({ look, recover, called, enterCode: yield* makeEnterCode })
})

export const layer: Layer.Layer<VerificationResults, never, KycStore | KycProviders | Responses> = Layer.effect(
  VerificationResults,
  make
)
