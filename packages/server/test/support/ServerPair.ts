import * as PgClient from "@effect/sql-pg/PgClient"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import { runHere } from "./CommandHere.js"
import * as MigratedDatabase from "./MigratedDatabase.js"
import { type ServerProcess, serverProcess } from "./ServerProcess.js"

/** Settings that turn off the rate limits, for servers under load. */
export const withoutRateLimits = { RATE_LIMIT_REFUNDS: "0", RATE_LIMIT_OTHER: "0", RATE_LIMIT_PROVISIONING: "0" }

export const environmentOf = (databaseUrl: Redacted.Redacted): Readonly<Record<string, string>> => ({
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  OPERATOR_TOKEN: "op_of-both-servers-0123456789",
  LOG_LEVEL: "warning",
  ...withoutRateLimits
})

/** Two servers on one database, shared by the tests of a file. */
export class ServerPair extends Context.Service<
  ServerPair,
  {
    readonly sql: PgClient.PgClient
    readonly environment: Readonly<Record<string, string>>
    readonly first: ServerProcess
    readonly second: ServerProcess
  }
>()("test/ServerPair") {}

/** Layer that starts the two servers on one migrated database, the second once the first is ready. */
export const layer = Layer.effect(
  ServerPair,
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const environment = environmentOf(url)
    const client = yield* Layer.build(PgClient.layer({ url, maxConnections: 1 }))
    const first = yield* serverProcess(environment)
    const second = yield* serverProcess(environment)
    return { sql: Context.get(client, PgClient.PgClient), environment, first, second }
  })
).pipe(Layer.provide(MigratedDatabase.layer))

/** Runs `surety verify`. Returns its exit code, and its output if it fails. */
export const audit = (environment: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.promise(() => runHere(["verify"], environment)),
    ({ code, stderr, stdout }) => ({ code, faults: code === 0 ? "" : `${stdout}${stderr}` })
  )

export const sound = { code: 0, faults: "" }
