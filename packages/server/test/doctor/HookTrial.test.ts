import { assert, it } from "@effect/vitest"
import * as HookTrial from "@surety/server/doctor/HookTrial"
import { type HookAnswer, type HookCall, HookCaller, HookFailed } from "@surety/webhooks/hook/HookCaller"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`

const call: HookCall = {
  hook: "consent",
  target: { url: "https://platform.example/consent", secret: Redacted.make(secret) },
  id: "trial",
  topic: "consent.requested",
  environment: "TEST",
  body: {}
}

const trial: HookTrial.HookTrial = {
  hook: "consent",
  urlSetting: "CONSENT_NOTIFY_URL",
  secretSetting: "CONSENT_NOTIFY_SECRET",
  calls: [{ what: "a request", call, read: HookTrial.acknowledges("consent") }]
}

/** The status of the platform's response, or the reason for a missing response. */
type Status = number | string

const respond = (status: Status): Effect.Effect<HookAnswer, HookFailed> =>
  typeof status === "string"
    ? Effect.fail(new HookFailed({ hook: "consent", what: `did not respond: ${status}` }))
    : Effect.succeed({ status, text: "", dateMillis: undefined })

/** Runs the trial against a platform that responds to a genuine and a forged call with these statuses. */
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
    assert.match(
      (yield* findings(200, "timed_out")).join("\n"),
      /did not respond: timed_out to a wrongly signed call\. /
    )
  })
)

it.effect("reports a platform that does not respond once", () =>
  Effect.gen(function* () {
    const [only, ...more] = yield* findings("timed_out", "timed_out")
    assert.match(only ?? "", /did not respond: timed_out to a request\. Is the platform's server up/)
    assert.deepStrictEqual(more, [])
  })
)

it.effect.each([
  ["name_not_resolved", "Does CONSENT_NOTIFY_URL name the right host, and does this machine resolve it?"],
  ["tls_failed", "Renew the certificate at CONSENT_NOTIFY_URL, or name the host that it is for."],
  ["target_not_allowed", "Name the host of CONSENT_NOTIFY_URL in HOOK_HOSTS if it is your own."],
  ["connection_refused", "Is the platform's server up, and can this machine reach CONSENT_NOTIFY_URL?"]
] as const)("says what to do about a hook that fails with %s", ([what, advice]) =>
  Effect.gen(function* () {
    const [finding] = yield* findings(what, what)
    assert.strictEqual(finding, `fault: Consent hook did not respond: ${what} to a request. ${advice}`)
  })
)
