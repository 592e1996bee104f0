import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { HookCaller, HookFailed } from "@surety/webhooks/hook/HookCaller"
import { Effect, Redacted } from "effect"
import * as HookTrial from "../../src/doctor/HookTrial.js"
import { runHere } from "../support/CommandHere.js"
import { connected } from "../support/connected.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { production } from "../support/Production.js"

const failing = (what: string) => {
  const failed = Effect.fail(new HookFailed({ hook: "consent", what: `did not respond: ${what}` }))
  return HookCaller.of({ call: () => failed, ask: () => failed, tell: () => failed })
}

const trial: HookTrial.HookTrial = {
  hook: "consent",
  urlSetting: "CONSENT_NOTIFY_URL",
  secretSetting: "CONSENT_NOTIFY_SECRET",
  calls: [
    {
      what: "a request",
      call: {
        hook: "consent",
        target: { url: "https://hook.example", secret: Redacted.make("whsec_AAAA") },
        id: "call-1",
        topic: "consent.requested",
        environment: "LIVE",
        body: {}
      },
      read: HookTrial.acknowledges("consent")
    }
  ]
}

describe("The doctor says what to do about", () => {
  it.effect.each([
    ["name_not_resolved", "Does CONSENT_NOTIFY_URL name the right host, and does this machine resolve it?"],
    ["tls_failed", "Renew the certificate at CONSENT_NOTIFY_URL, or name the host that it is for."],
    ["target_not_allowed", "Name the host of CONSENT_NOTIFY_URL in HOOK_HOSTS if it is your own."],
    ["connection_refused", "Is the platform's server up, and can this machine reach CONSENT_NOTIFY_URL?"]
  ] as const)("a hook that fails with %s", ([what, advice]) =>
    Effect.gen(function* () {
      const [finding] = yield* HookTrial.run(trial).pipe(
        Effect.provideService(HookCaller, failing(what)),
        Effect.provide(NodeCrypto.layer)
      )
      assert.strictEqual(finding?.verdict, "fault")
      assert.strictEqual(finding?.detail, `Consent hook did not respond: ${what} to a request. ${advice}`)
    })
  )

  it.live(
    "a check that the database does not answer",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const other = yield* connected(Redacted.value(url))
        yield* Effect.promise(() => other.query("begin; lock table surety.refund in access exclusive mode"))
        const impatient = new URL(Redacted.value(url))
        impatient.searchParams.set("options", "-clock_timeout=300")
        const settings = production(Redacted.make(impatient.href), {})
        const { code, stdout } = yield* Effect.promise(() => runHere(["doctor"], settings))
        assert.strictEqual(code, 1)
        assert.match(
          stdout,
          /^FAULT refunds: It could not be checked \(.+\)\. Check that the database responds and takes writes, then run surety doctor again\.$/m
        )
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    120_000
  )
})
