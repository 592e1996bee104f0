import { Context, DateTime, Duration, Effect, Fiber, Layer, Option, type Redacted } from "effect"
import type { VerificationId } from "../../Ids.js"
import type { Responses } from "../../idempotency/Responses.js"
import type { StoreError } from "../../StoreError.js"
import { KycProviderUnavailable, VerificationBusy, VerificationNeedsNoAction } from "../KycError.js"
import { KycSettings } from "../KycSettings.js"
import { type CalledVerification, type HeldVerification, KycStore, type VerificationProgress } from "../KycStore.js"
import { type KycOutcome, recognised } from "../provider/KycProvider.js"
import { KycProviders } from "../provider/KycProviders.js"
import { makeMomentNow } from "./momentNow.js"
import { noteSaved } from "./noteSaved.js"
import * as planProgress from "./planProgress.js"
import type { Verification } from "./Verification.js"

/** The results that come after the answer to the submission: looked for, called in, or brought by the holder's code. */
export class VerificationResults extends Context.Service<
  VerificationResults,
  {
    /** Looks at the provider for this verification; false, and nothing done, if that is not due or somebody is at it. */
    readonly look: (id: VerificationId) => Effect.Effect<boolean, StoreError>

    /**
     * Looks at the provider for every verification for which that is due, those that a crash left included. Answers how
     * many there were.
     */
    readonly recover: Effect.Effect<number, StoreError>

    /**
     * Commits what a provider has said by itself. False, and nothing changed, where that is no news: an unknown
     * verification, one that has ended (as in a call that comes twice), no result, or one that is not recognised.
     */
    readonly called: (call: CalledVerification, outcome: KycOutcome) => Effect.Effect<boolean, StoreError>

    /** Passes the holder's code on, and commits what the provider says to it. */
    readonly enterCode: (
      id: VerificationId,
      code: Redacted.Redacted<string>
    ) => Effect.Effect<void, VerificationNeedsNoAction | VerificationBusy | KycProviderUnavailable | StoreError>
  }
>()("@surety/core/kyc/verification/VerificationResults") {}

/** How many verifications are looked for at once. */
const looksAtOnce = 8

const queryOf = ({ id, providerReference }: Verification) => ({ reference: id, providerReference })

/** What every verb needs to make plans and holds. */
const makeMoments = Effect.gen(function* () {
  const { holdFor } = yield* KycSettings
  return { moment: yield* makeMomentNow, untilHeld: (now: DateTime.Utc) => DateTime.addDuration(now, holdFor) }
})

/** Saves, and notes what was saved. */
const savingIn = (store: KycStore["Service"]) => (progress: VerificationProgress) =>
  Effect.tap(store.save(progress), noteSaved(progress))

const makeLooks = Effect.gen(function* () {
  const store = yield* KycStore
  const providers = yield* KycProviders
  const { moment, untilHeld } = yield* makeMoments
  const save = savingIn(store)

  const claim = Effect.fnUntraced(function* (limit: number, id?: VerificationId) {
    const now = yield* DateTime.now
    return yield* store.claim({ now, heldUntil: untilHeld(now), limit, id })
  })

  const lookAt = Effect.fnUntraced(function* (held: HeldVerification) {
    const provider = providers.askedFor(held.verification)
    const answer =
      provider === undefined ? Option.none() : yield* Effect.option(provider.lookup(queryOf(held.verification)))
    const at = yield* moment
    yield* save(
      Option.isNone(answer) ? planProgress.afterSilence(held, at) : planProgress.afterLook(held, answer.value, at)
    )
  })

  const look = Effect.fn("VerificationResults.look")(function* (id: VerificationId) {
    const claimed = yield* claim(1, id)
    yield* Effect.forEach(claimed, lookAt, { discard: true })
    return claimed.length > 0
  })

  /** One that fails leaves the others alone: it is claimed again when its hold has ended. */
  const lookOrWarn = (held: HeldVerification) =>
    Effect.catch(lookAt(held), (error) =>
      Effect.logWarning("A verification could not be looked for; trying again", error).pipe(
        Effect.annotateLogs({ reference: held.verification.id })
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
  const { moment, untilHeld } = yield* makeMoments
  const save = savingIn(store)
  const scope = yield* Effect.scope
  const retryAfterSeconds = Math.ceil(Duration.toSeconds(patience))

  const ask = (held: HeldVerification, code: Redacted.Redacted<string>) => {
    const provider = providers.askedFor(held.verification)
    if (provider === undefined) return Effect.succeed("not_submitted" as const)
    return provider.submitCode(queryOf(held.verification), code).pipe(
      Effect.catchTags({
        KycNotSubmitted: () => Effect.succeed("not_submitted" as const),
        KycOutcomeUnknown: () => Effect.succeed("unknown" as const)
      })
    )
  }

  const passOn = Effect.fnUntraced(function* (held: HeldVerification, code: Redacted.Redacted<string>) {
    const outcome = yield* ask(held, code)
    const at = yield* moment
    switch (outcome) {
      case "not_submitted":
        yield* save(planProgress.asItStands(held, undefined, at))
        return yield* new KycProviderUnavailable({ retryAfterSeconds })
      case "unknown":
        return yield* save(planProgress.afterLostCode(held, at))
      default:
        return yield* save(planProgress.afterCode(held, outcome, at))
    }
  })

  return Effect.fn("VerificationResults.enterCode")(function* (id: VerificationId, code: Redacted.Redacted<string>) {
    const now = yield* DateTime.now
    const found = yield* store.hold(id, now, untilHeld(now))
    if (Option.isNone(found)) return yield* new VerificationBusy({ retryAfterSeconds })
    const held = found.value
    const { status } = held.verification
    if (status !== "REQUIRES_ACTION") {
      yield* save(planProgress.asItStands(held, undefined, yield* moment))
      return yield* new VerificationNeedsNoAction({ status })
    }
    // The provider may charge for a code, and takes it once: whoever sent it may go away, it is finished.
    yield* Fiber.join(yield* Effect.forkIn(passOn(held, code), scope))
  })
})

const make = Effect.gen(function* () {
  const store = yield* KycStore
  const { moment, untilHeld } = yield* makeMoments
  const save = savingIn(store)
  const { look, recover } = yield* makeLooks

  const called = Effect.fn("VerificationResults.called")(function* (call: CalledVerification, said: KycOutcome) {
    const outcome = recognised(said)
    // No result yet: taking the verification from whoever is at it would only be in the way.
    if (outcome._tag === "Pending" || outcome._tag === "Unrecognised") return false
    const held = yield* store.seize(call, untilHeld(yield* DateTime.now))
    if (Option.isNone(held)) return false
    const at = yield* moment
    if (outcome._tag === "RequiresAction" && held.value.verification.status === "REQUIRES_ACTION") {
      // Each would use a look up, so a call that comes often would end what the holder still has time for.
      yield* save(planProgress.asItStands(held.value, undefined, at))
      return false
    }
    const progress = planProgress.afterOutcome(held.value, outcome, at)
    return Option.isSome(yield* save(progress))
  })

  return VerificationResults.of({ look, recover, called, enterCode: yield* makeEnterCode })
})

export const layer: Layer.Layer<VerificationResults, never, KycStore | KycProviders | Responses> = Layer.effect(
  VerificationResults,
  make
)
