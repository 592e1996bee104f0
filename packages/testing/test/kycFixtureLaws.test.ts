import { assert, describe, it } from "@effect/vitest"
import type { KycCallback } from "@surety/core/kyc/provider/KycCallback"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import {
  KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycProviderShape,
  type KycSubmission
} from "@surety/core/kyc/provider/KycProvider"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import * as KycFixtureLaws from "@surety/testing/kyc/KycFixtureLaws"
import { Effect, Exit, Layer, Option, Redacted } from "effect"

const numbers = {
  verified: "11111111111",
  notFound: "00000000000",
  later: "33333333333",
  code: "66666666666",
  redirect: "77777777777"
} as const

const replies = {
  [numbers.verified]: "verified",
  [numbers.notFound]: "not_found",
  [numbers.later]: "later",
  [numbers.code]: "needs_code",
  [numbers.redirect]: "needs_consent"
} as const

const isNumber = (text: string): text is keyof typeof replies => text in replies

/** Makes an in-memory vendor with a sound or faulty adapter. */
const makeVendor = (
  broken: (sound: KycProviderShape, charge: () => void) => Partial<KycProviderShape> = () => ({})
) => {
  const known = new Map<string, KycOutcome>()
  const faults: Array<KycFixtureLaws.FixtureFault> = []
  let charged = 0

  const work = ({ id, reference }: KycSubmission): KycOutcome => {
    const number = Redacted.value(id)
    const earlier = known.get(reference)
    if (earlier !== undefined) return earlier
    charged += 1
    const outcome = FakeKycProvider.outcomeOf(reference, isNumber(number) ? replies[number] : "not_found")
    known.set(reference, outcome)
    return outcome
  }

  const { provider: fake } = FakeKycProvider.make({ capabilities: { kinds: ["bvn", "nin"], recognisesRepeats: true } })
  const sound: KycProviderShape = {
    ...fake,
    submit: (submission) =>
      Effect.suspend((): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
        if (!["bvn", "nin"].includes(submission.kind)) {
          return Effect.fail(new KycNotSubmitted({ reason: "kind_not_supported" }))
        }
        const fault = faults.shift()
        if (fault === "refuse") return Effect.fail(new KycNotSubmitted({ reason: "rate_limited" }))
        const outcome = work(submission)
        if (fault === "lose_answer") return Effect.fail(new KycOutcomeUnknown({ reason: "connection_reset" }))
        return Effect.succeed<KycOutcome>(fault === undefined ? outcome : { _tag: "Unrecognised" })
      }),
    lookup: ({ reference }) => Effect.sync(() => Option.fromUndefinedOr(known.get(reference))),
    submitCode: ({ reference }, code) =>
      Effect.sync(() => {
        if (Redacted.value(code) === "123456") {
          known.set(reference, FakeKycProvider.outcomeOf(reference, "verified"))
        }
        return known.get(reference) ?? { _tag: "Unrecognised" }
      }),
    callback: (received) => {
      const [mark, ...text] = new TextDecoder().decode(Redacted.value(received.body)).split("#")
      if (received.headers["x-fake-signature"] !== `sum-${mark?.length}`)
        return Effect.succeed({ _tag: "NotAuthentic" })
      return fake.callback({
        body: Redacted.make(new TextEncoder().encode(`${mark}${text.join("")}`)),
        headers: { "x-fake-signature": "authentic" }
      })
    }
  }
  const settle = (reply: FakeKycProvider.PlainReply) => (reference: Parameters<typeof FakeKycProvider.outcomeOf>[0]) =>
    Effect.sync(() => {
      known.set(reference, FakeKycProvider.outcomeOf(reference, reply))
    })
  const fixture: KycFixtureLaws.KycFixture = {
    verified: { kind: "bvn", id: numbers.verified },
    notFound: { kind: "bvn", id: numbers.notFound },
    charged: Effect.sync(() => charged),
    next: (fault) => Effect.sync(() => void faults.push(fault)),
    later: { kind: "bvn", id: numbers.later, finish: settle("verified") },
    code: { kind: "bvn", id: numbers.code, right: "123456", wrong: "1" },
    redirect: { kind: "bvn", id: numbers.redirect, agree: settle("verified"), refuse: settle("refused") },
    callback: (reference, _, says) =>
      Effect.sync((): KycCallback => {
        const { body } = FakeKycProvider.callbackOf(reference, says)
        // The signature contains the number of characters before the body's last brace. That is enough to detect the
        // forged headers in the laws. The laws' changed body passes this check, but the fake cannot parse it.
        const text = new TextDecoder().decode(Redacted.value(body)).replace(/\}$/u, "#}")
        const signature = `sum-${text.indexOf("#")}`
        return { body: Redacted.make(new TextEncoder().encode(text)), headers: { "x-fake-signature": signature } }
      })
  }
  const charge = () => {
    charged += 1
  }
  const provider = { ...sound, ...broken(sound, charge) }
  return { fixture, layer: Layer.succeed(KycProvider, provider) }
}

const soundVendor = makeVendor()
KycFixtureLaws.suite("a vendor in memory", soundVendor.layer, soundVendor.fixture)

/** Faulty adapters, each with a pattern for the name of the law that must fail. */
const brokenAdapters: ReadonlyArray<readonly [how: string, law: RegExp, Parameters<typeof makeVendor>[0]]> = [
  [
    "calls a refusal an unknown outcome",
    /KycNotSubmitted of what was refused/,
    ({ submit }) => ({
      submit: (submission) =>
        Effect.catchTag(submit(submission), "KycNotSubmitted", () =>
          Effect.fail(new KycOutcomeUnknown({ reason: "x" }))
        )
    })
  ],
  [
    "calls a lost answer not submitted",
    /KycOutcomeUnknown of a lost answer/,
    ({ submit }) => ({
      submit: (submission) =>
        Effect.catchTag(submit(submission), "KycOutcomeUnknown", () =>
          Effect.fail(new KycNotSubmitted({ reason: "x" }))
        )
    })
  ],
  ["does not find what was lost", /KycOutcomeUnknown of a lost answer/, () => ({ lookup: () => Effect.succeedNone })],
  [
    "takes an answer that it does not know for a verification",
    /verifies no one by an answer that it cannot read/,
    ({ submit }) => ({
      submit: (submission) =>
        Effect.map(submit(submission), (outcome) =>
          outcome._tag === "Unrecognised" ? FakeKycProvider.outcomeOf(submission.reference, "verified") : outcome
        )
    })
  ],
  [
    "pays for lookups",
    /charges a submission once, and a lookup never/,
    ({ lookup }, charge) => ({ lookup: (query) => Effect.andThen(Effect.sync(charge), lookup(query)) })
  ],
  [
    "pays for repeats",
    /charges a repeated submission once/,
    ({ submit }, charge) => ({ submit: (submission) => Effect.andThen(Effect.sync(charge), submit(submission)) })
  ],
  [
    "submits kinds that it does not have",
    /submits no kind that it does not have/,
    ({ submit }) => ({ submit: (submission) => submit({ ...submission, kind: "bvn" }) })
  ],
  ["is never done", /is Pending until/, () => ({ lookup: () => Effect.succeedSome({ _tag: "Unrecognised" }) })],
  [
    "takes any code",
    /asks for the holder's code/,
    ({ submitCode }) => ({ submitCode: (query) => submitCode(query, Redacted.make("123456")) })
  ],
  [
    "takes a refusal for a consent",
    /sends the holder to a page/,
    ({ lookup }) => ({
      lookup: (query) =>
        Effect.map(
          lookup(query),
          Option.map((found) =>
            found._tag === "Failed" ? FakeKycProvider.outcomeOf(query.reference, "verified") : found
          )
        )
    })
  ],
  [
    "declares no callbacks",
    /declares the callbacks/,
    ({ capabilities }) => ({ capabilities: { ...capabilities, callback: "none" } })
  ],
  [
    "gives an outcome although it only hints",
    /reads a signed callback/,
    ({ capabilities }) => ({ capabilities: { ...capabilities, callback: "hint" } })
  ],
  [
    "checks no signature",
    /authenticates no callback whose signature/,
    ({ callback }) => ({
      callback: ({ body }) =>
        callback({
          body,
          headers: { "x-fake-signature": `sum-${new TextDecoder().decode(Redacted.value(body)).indexOf("#")}` }
        })
    })
  ]
]

describe("The laws of a fixture fail", () => {
  for (const [how, name, broken] of brokenAdapters) {
    it.live(`on an adapter that ${how}`, () =>
      Effect.gen(function* () {
        const { fixture, layer } = makeVendor(broken)
        const law = KycFixtureLaws.lawsOf(fixture).find((each) => name.test(each.name))
        const exit = yield* Effect.exit(Effect.provide(Effect.scoped(law?.body ?? Effect.die("no such law")), layer))
        assert.isTrue(Exit.isFailure(exit))
      })
    )
  }
})
