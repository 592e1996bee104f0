import { assert, it } from "@effect/vitest"
import * as HookTrial from "@surety/server/doctor/HookTrial"
import { type HookAnswer, type HookCall, HookCaller, HookFailed } from "@surety/webhooks/hook/HookCaller"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`

const call: HookCall = {
  hook: "wallet",
  target: { url: "https://platform.example/wallet", secret: Redacted.make(secret) },
  id: "trial",
  topic: "wallet.credit",
  environment: "TEST",
  body: {}
}

const trial: HookTrial.HookTrial = {
  hook: "wallet",
  urlSetting: "WALLET_URL",
  secretSetting: "WALLET_SECRET",
  calls: [{ what: "a credit", call, read: HookTrial.acknowledges("wallet") }]
}

/** A response of the platform, by status. Undefined if it does not respond. */
type Status = number | undefined

const respond = (status: Status): Effect.Effect<HookAnswer, HookFailed> =>
  status === undefined
    ? Effect.fail(new HookFailed({ hook: "wallet", what: "did not respond: timed_out" }))
    : Effect.succeed({ status, text: "", dateMillis: undefined })

/** Runs the trial against a platform that gives these responses to a genuine call and to a forged one. */
const findings = (genuine: Status, forged: Status) =>
  Effect.map(
    HookTrial.run(trial).pipe(
      Effect.provide(
        Layer.succeed(HookCaller, {
          call: ({ target }) => respond(Redacted.value(target.secret) === secret ? genuine : forged),
          ask: () => Effect.die("a trial reads the responses"),
          tell: () => Effect.die("a trial reads the responses")
        })
      ),
      Effect.provide(SecureRandom.layerWebCrypto)
    ),
    (found) => found.map(({ detail, verdict }) => `${verdict}: ${detail}`)
  )

it.effect("is content only with a platform that rejects a forged call", () =>
  Effect.gen(function* () {
    for (const status of [400, 401, 403, 404]) {
      assert.match((yield* findings(200, status)).join("\n"), /^ok: .*A forged call was rejected\.$/)
    }
    assert.match((yield* findings(200, 204)).join("\n"), /A wrongly signed call was accepted with 204\. Verify /)
    for (const status of [302, 500, 503]) {
      assert.match(
        (yield* findings(200, status)).join("\n"),
        new RegExp(`A wrongly signed call was not rejected: the response was ${status}\\. Verify .* return 401`)
      )
    }
    assert.match((yield* findings(200, undefined)).join("\n"), /did not respond: timed_out to a wrongly signed call\. /)
  })
)

it.effect("reports a platform that does not respond once", () =>
  Effect.gen(function* () {
    const [only, ...more] = yield* findings(undefined, undefined)
    assert.match(only ?? "", /did not respond: timed_out to a credit\. Is the platform's server up/)
    assert.deepStrictEqual(more, [])
  })
)
