import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import { runHere } from "../support/CommandHere.js"
import { connected } from "../support/connected.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { production } from "../support/Production.js"

describe("The doctor says what to do about", () => {
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
