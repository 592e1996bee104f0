import { assert, describe, it } from "@effect/vitest"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as ConsentSandbox from "../ConsentSandbox.js"

const tokenIn = (url: Redacted.Redacted<string>) => Redacted.make(Redacted.value(url).split("/").at(-1) ?? "")

describe("A management link that was issued", () => {
  it.effect("opens for its person until it expires, and is forgotten after that", () =>
    Effect.gen(function* () {
      const links = yield* ManagementLinks
      const { consumer } = yield* ConsentSandbox.merchantAndPerson("LIVE")
      const { expiresAt, url } = yield* links.issue(consumer)
      const token = tokenIn(url)
      const { environment, serviceId, userId } = consumer
      assert.deepInclude(yield* links.open(token), { environment, serviceId, userId, expiresAt })
      assert.strictEqual(yield* links.forget(yield* DateTime.now, 10), 0)
      yield* TestClock.adjust("7 days")
      assert.strictEqual((yield* Effect.flip(links.open(token)))._tag, "ConsentLinkUnknown")
      assert.strictEqual(yield* links.forget(DateTime.add(yield* DateTime.now, { milliseconds: 1 }), 10), 1)
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )

  it.effect("is unknown with a token that was never made", () =>
    Effect.gen(function* () {
      const { open } = yield* ManagementLinks
      for (const token of ["guessed", "a".repeat(1_000)]) {
        assert.strictEqual((yield* Effect.flip(open(Redacted.make(token))))._tag, "ConsentLinkUnknown")
      }
    }).pipe(Effect.provide(ConsentSandbox.layer))
  )
})
