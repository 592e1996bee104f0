import { assert, describe, it } from "@effect/vitest"
import type { KycProvider as Port } from "@surety/core/kyc/provider/KycProvider"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import { isVerificationOpen } from "@surety/core/kyc/verification/Verification"
import { Effect, Fiber, type Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Fresh from "../../FreshIds.js"
import type { FixtureFault, KycFixture } from "../KycFixtureLaws.js"
import { personal, type SampleNumber, submissionOf } from "../KycProviderLaws.js"
import * as Listener from "./Listener.js"
import type { VendorServer } from "./VendorServer.js"
import * as VerifyingProcess from "./VerifyingProcess.js"

/** A played vendor, its adapter, and the secrets that the adapter knows. */
export interface PlayedVendor {
  readonly server: VendorServer
  readonly fixture: KycFixture
  readonly layerAt: (url: string) => Layer.Layer<Port>
  readonly secrets: ReadonlyArray<string>
}

const samplesOf = ({ code, later, notFound, redirect, verified }: KycFixture): ReadonlyArray<SampleNumber> =>
  [verified, notFound, later, code, redirect].flatMap((each) => (each === "none" ? [] : [each]))

/** A number of one repeated digit is in every id and checksum. */
const isTelling = (text: string): boolean => !/^(.)\1*$/u.test(text)

const canariesOf = ({ fixture, secrets }: PlayedVendor): ReadonlyArray<string> =>
  [
    ...Object.values(personal),
    ...secrets,
    ...samplesOf(fixture).map(({ id }) => id),
    ...(fixture.code === "none" ? [] : [fixture.code.right])
  ].filter(isTelling)

/** Every verb of the adapter, on every sample and every fault; whatever comes of it is noted. */
const useEverything = Effect.fnUntraced(function* ({ fixture }: PlayedVendor, listener: Listener.Listener) {
  const provider = yield* KycProvider
  const note = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.map(Effect.result(effect), (result) => {
      listener.note(Result.isSuccess(result) ? result.success : result.failure)
      return result
    })

  const submit = Effect.fnUntraced(function* (sample: SampleNumber, fault?: FixtureFault) {
    const submission = yield* submissionOf(sample)
    if (fault !== undefined) yield* fixture.next(fault)
    const result = yield* note(provider.submit(submission))
    const providerReference = Result.isSuccess(result) ? result.success.providerReference : undefined
    const query = { reference: submission.reference, kind: submission.kind, providerReference }
    yield* note(provider.lookup(query))
    return query
  })

  for (const sample of samplesOf(fixture)) yield* submit(sample)
  for (const fault of ["refuse", "lose_answer", "junk", "unknown_code"] as const) yield* submit(fixture.verified, fault)
  if (fixture.code !== "none") {
    const query = yield* submit(fixture.code)
    for (const code of [fixture.code.wrong, fixture.code.right])
      yield* note(provider.submitCode(query, Redacted.make(code)))
  }
  if (fixture.callback !== "none") {
    const { providerReference, reference } = yield* submit(fixture.verified)
    const signed = yield* fixture.callback(reference, providerReference, "verified")
    yield* note(provider.callback(signed))
    yield* note(provider.callback({ ...signed, headers: {} }))
  }
})

/** Lets real I/O go on until the condition holds. The clock of the test stands still. */
const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
  })

/** When a process is killed: before the vendor works, before it answers, and once it has answered. */
type Kill = "before" | "during" | "after"

/** Longer than a lease. */
const pastLease = "30 seconds"

/** A process is killed in its only submission and started again; the merchant repeats the request, twice. */
const killed = Effect.fnUntraced(function* ({ fixture, layerAt, server }: PlayedVendor, kill: Kill) {
  const url = yield* server.listen
  const people = yield* VerifyingProcess.shop
  const key = Fresh.idempotencyKey()
  const chargedBefore = yield* server.charged
  const submissionsBefore = server.submissions()
  if (kill !== "after") yield* server.script({ reply: "hang", isDone: kill === "during" })
  const first = yield* VerifyingProcess.start(people, layerAt(url))
  const asked = yield* Effect.forkChild(first.verify(key, fixture.verified))
  yield* until(() => server.submissions() > submissionsBefore)
  if (kill === "after") yield* Fiber.await(asked)
  yield* first.crash
  yield* Fiber.interrupt(asked)
  yield* TestClock.adjust(pastLease)

  const second = yield* VerifyingProcess.start(people, layerAt(url))
  const repeated = yield* second.verify(key, fixture.verified)
  assert.deepStrictEqual(yield* second.verify(key, fixture.verified), repeated)
  return { verification: repeated, charged: (yield* server.charged) - chargedBefore }
})

/**
 * What every adapter over a played vendor promises, beside `KycFixtureLaws`: nothing personal or secret leaves it but to the
 * vendor, and a verification is paid for once at most, whenever its process dies.
 */
export const suite = (adapter: string, vendor: PlayedVendor): void => {
  describe(`A vendor's adapter (${adapter})`, () => {
    it.live("tells no one a number, a name or a secret: in outcomes, errors, log lines and spans", () =>
      Effect.gen(function* () {
        const listener = Listener.make()
        const url = yield* vendor.server.listen
        yield* useEverything(vendor, listener).pipe(Effect.provide(vendor.layerAt(url)), Effect.provide(listener.layer))
        const heard = listener.heard()
        assert.include(heard, "VendorHttp.call", "spans were heard")
        for (const canary of canariesOf(vendor)) assert.notInclude(heard, canary)
        const sent = JSON.stringify(vendor.server.received)
        for (const canary of canariesOf(vendor).slice(0, 2)) assert.include(sent, canary, "canaries were sent")
      }).pipe(Effect.scoped)
    )

    for (const kill of ["before", "during", "after"] as const) {
      it.effect(`pays for a verification once at most when the process dies ${kill} the vendor's work`, () =>
        Effect.gen(function* () {
          const { charged, verification } = yield* killed(vendor, kill)
          assert.isAtMost(charged, 1)
          assert.isFalse(isVerificationOpen(verification.status), "it has ended")
          const { capabilities } = yield* Effect.provide(KycProvider, vendor.layerAt("http://127.0.0.1:9"))
          const isFound = capabilities.lookup === "our_reference" || capabilities.recognisesRepeats || kill === "after"
          assert.strictEqual(verification.status, isFound ? "VERIFIED" : "ERROR")
          if (!isFound) assert.strictEqual(verification.failureReason, "outcome_unknown")
        }).pipe(Effect.provide(VerifyingProcess.world), Effect.scoped)
      )
    }
  })
}
