import { assert, describe, layer } from "@effect/vitest"
import { ConsumerAuthenticator } from "@surety/core/consent/admission/ConsumerAuthenticator"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { type HostError, HostErrors } from "@surety/core/host/HostErrors"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect, Layer } from "effect"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const code = { openUntil: undefined, sendableAt: undefined, destination: undefined }

/** What the authenticator returns next. It comes from a host, so its type promises nothing. */
const next: { sends: Effect.Effect<unknown>; checks: Effect.Effect<unknown> } = {
  sends: Effect.succeed(undefined),
  checks: Effect.succeed(undefined)
}

const errors: Array<HostError> = []

const junk = Layer.succeed(ConsumerAuthenticator, {
  admit: () => Effect.succeed({ _tag: "CodeRequired", code }),
  // @ts-expect-error The result has no promised type.
  sendCode: () => Effect.suspend(() => next.sends),
  // @ts-expect-error The result has no promised type.
  checkCode: () => Effect.suspend(() => next.checks)
})

const port = await freePort()

/** Opens the link, submits the form with its guard and cookie, and opens the link again with all cookies. */
const entering = (url: string, form: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const shown = await fetch(url)
    const cookie = shown.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const guard = /name="guard" value="([^"]+)"/u.exec(await shown.text())?.[1] ?? ""
    const body = new URLSearchParams({ guard, ...form })
    const sent = await fetch(`${url}/code`, { method: "POST", body, headers: { cookie }, redirect: "manual" })
    const cookies = [cookie, ...sent.headers.getSetCookie().map((one) => one.split(";")[0])].join("; ")
    const after = await fetch(url, { headers: { cookie: cookies } })
    return { status: sent.status, afterwards: after.status, text: await after.text() }
  })

describe("An authenticator that does not keep its promises", () => {
  layer(
    Layer.provide(
      PageServer.layer(port, {}, junk),
      Layer.succeed(HostErrors, (error) => void errors.push(error))
    ),
    {
      excludeTestServices: true
    }
  )((it) => {
    it.effect("admits no one by a check whose result is not exactly `Right`", () =>
      Effect.gen(function* () {
        const asked = yield* Scene.asked()
        const results = [undefined, null, false, true, "right", "Wrong!", {}, { _tag: "Right" }, ["Right"], 1]
        for (const result of results) {
          next.checks = Effect.succeed(result)
          const { afterwards, status, text } = yield* entering(asked.url, { code: "123456" })
          assert.deepStrictEqual([status, afterwards], [503, 401], JSON.stringify(result))
          assert.notInclude(text, "Corner Shop")
        }
        assert.deepStrictEqual(
          errors.splice(0).map(({ operation, part }) => [part, operation]),
          results.map(() => ["signIn", "checkCode"])
        )
        next.checks = Effect.die(new Error("down"))
        assert.strictEqual((yield* entering(asked.url, { code: "123456" })).status, 503)
        next.checks = Effect.succeed("Right")
        const { afterwards, status } = yield* entering(asked.url, { code: "123456" })
        assert.deepStrictEqual([status, afterwards], [303, 200])
        const { id, scope } = asked
        assert.strictEqual((yield* (yield* DataRequests).get({ id, scope })).status, "PENDING")
      })
    )

    it.effect("is reported if it sends a code and does not say so", () =>
      Effect.gen(function* () {
        const { url } = yield* Scene.asked()
        errors.splice(0)
        for (const result of [undefined, true, {}, { _tag: "Sent" }, { _tag: "TooMany", retryAfterSeconds: "1" }]) {
          next.sends = Effect.succeed(result)
          assert.strictEqual((yield* entering(url, { step: "send" })).status, 503, JSON.stringify(result))
        }
        assert.strictEqual(errors.length, 5)
        for (const result of [
          { _tag: "Sent", minutes: 10 },
          { _tag: "TooMany", retryAfterSeconds: 5 }
        ]) {
          next.sends = Effect.succeed(result)
          assert.strictEqual((yield* entering(url, { step: "send" })).status, 303)
        }
      })
    )
  })
})
