import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { production } from "./support/Production.js"
import { type ServerProcess, serverProcess } from "./support/ServerProcess.js"

const forwarded = "203.0.113.77"

/** Asks over IPv4, also a server that listens on `::`. */
const ask = ({ url }: ServerProcess, headers: Readonly<Record<string, string>>) =>
  Effect.promise(async () => (await fetch(`http://127.0.0.1:${new URL(url).port}/healthz`, { headers })).status)

const warningsOf = (server: ServerProcess): ReadonlyArray<string> =>
  server
    .stderr()
    .split("\n")
    .filter((line) => line.includes("TRUSTED_PROXIES"))

/** Sends three requests as if forwarded by a proxy. Then waits long enough for a warning to be logged. */
const passOn = (server: ServerProcess) =>
  Effect.andThen(
    Effect.forEach([1, 2, 3], () => ask(server, { "x-forwarded-for": forwarded })),
    Effect.sleep("500 millis")
  )

describe("A production server behind a proxy", () => {
  it.live(
    "warns once, with what to set, if the proxy is not named; and not without the header or behind a named one",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const { SECRETS_KEY = "" } = production(url)
        const [unnamed, named] = yield* Effect.all([
          serverProcess(production(url, { SECRETS_KEY, HOST: "::" })),
          serverProcess(production(url, { SECRETS_KEY, TRUSTED_PROXIES: "127.0.0.0/8" }))
        ])
        yield* ask(unnamed, {})
        assert.isEmpty(warningsOf(unnamed))
        yield* passOn(unnamed)
        yield* passOn(named)
        const [warning = "", ...others] = warningsOf(unnamed)
        assert.isEmpty(others)
        assert.include(warning, "Set TRUSTED_PROXIES")
        assert.include(warning, '"peer":"127.0.0.1"')
        assert.notInclude(unnamed.stderr(), forwarded)
        assert.isEmpty(warningsOf(named))
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    120_000
  )
})
