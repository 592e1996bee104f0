import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import * as MachinePostgres from "@surety/testing/machine/MachinePostgres"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { ConfigProvider, Effect, Redacted, Schedule } from "effect"
import { Client } from "pg"
import { type Fence, fencesIn, placeOf, root, textOf } from "../docs/Fence.js"
import { type Merchant, merchantWithConsumer, send } from "../support/Merchant.js"
import { receiver } from "../support/Receiver.js"
import { listed, paid } from "../support/Requests.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const page = "docs/embedding/operations.md"
const main = path.join(root, "packages/server/dist/published/main.js")
const isTested = !isLeftOut(process.env, "SKIP_BACKUP")
const tools = isTested ? MachinePostgres.find(process.env) : undefined
const timeoutMillis = 300_000

/** Returns the shell blocks of the section "Backup and restore", with their line numbers on the page. */
const commands = (): ReadonlyArray<Fence> => {
  const text = textOf(page)
  const [before = "", rest = ""] = text.split("\n## Backup and restore\n")
  const section = `${before.replace(/[^\n]+/g, "")}\n\n${rest.split("\n## ")[0]}`
  return fencesIn(page, section).filter(({ language }) => language === "sh")
}

/**
 * Option to run a server as the owner of the tables. A serving role would have to exist in the other cluster before its
 * privileges are restored.
 */
const alone = { asOwner: "the page restores as one user" }

const isServe = ({ words }: Fence): boolean => words.join(" ") === "needs surety serve"

const cluster = Effect.provide(
  TestPostgres.start(),
  ConfigProvider.layer(ConfigProvider.fromUnknown({ PG_BIN: tools, PATH: process.env.PATH }))
)

const execute = (url: Redacted.Redacted, statement: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: Redacted.value(url) })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  })

/** SQL that consumes 20,000 transaction ids, so a new cluster's ids are far lower than this database's. */
const usedUp = "do $$ begin for n in 1..20000 loop perform pg_current_xact_id(); commit; end loop; end $$"

/**
 * Returns the ids of up to 100 events, after `cursor` if given. Polls every 50 ms, up to 100 more times, until at least
 * `count` events are listed.
 */
const polled = (server: ServerProcess, { key }: Merchant, count: number, cursor?: string) =>
  send(server, "GET", `/v1/events?order=oldest&limit=100${cursor === undefined ? "" : `&cursor=${cursor}`}`, {
    bearer: key
  }).pipe(
    Effect.map(({ body }): ReadonlyArray<string> => body.data.map((event: { readonly id: string }) => event.id)),
    Effect.repeat({ until: ({ length }) => length >= count, times: 100, schedule: Schedule.spaced("50 millis") })
  )

it.live.skipIf(isLeftOut(process.env, "SKIP_BACKUP"))(
  "a dump that is restored as the page says keeps the order of events and its cursors, and sends nothing with WORKERS=off",
  () =>
    Effect.gen(function* () {
      const [original, restored] = [yield* cluster, yield* cluster]
      yield* execute(original.url, usedUp)
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-restore-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const shared = { DATA_DIR: directory, LOG_LEVEL: "warning", PATH: `${tools}:${process.env.PATH}` }
      const environmentOf = (url: Redacted.Redacted) => ({ ...shared, DATABASE_URL: Redacted.value(url) })
      const idle = { WORKERS: "off" }

      const first = yield* serverProcess({ ...environmentOf(original.url), ...idle }, alone)
      const merchant = yield* merchantWithConsumer(first)
      const target = yield* receiver
      const endpoint = yield* send(first, "POST", `/merchants/${merchant.id}/webhooks`, {
        body: { url: target.url }
      })
      assert.strictEqual(endpoint.status, 201, endpoint.text)
      yield* Effect.replicateEffect(paid(first, merchant, 10), 12)
      const known = yield* polled(first, merchant, 12)
      assert.lengthOf(known, 12)

      for (const fence of commands()) {
        if (isServe(fence)) continue
        const surety = `surety() { ${process.execPath} ${main} "$@"; }`
        const { status, stderr, stdout } = spawnSync("bash", ["-ec", `${surety}\n${fence.code}`], {
          cwd: directory,
          encoding: "utf8",
          env: { ...environmentOf(original.url), RESTORED_URL: Redacted.value(restored.url) }
        })
        assert.strictEqual(status, 0, `${placeOf(fence)}: ${stderr}${stdout}`)
        if (fence.code.includes("surety verify")) assert.include(stdout, "Everything adds up.")
      }

      // This event is committed after the backup, so the copy lacks it.
      yield* paid(first, merchant, 10)
      const lost = (yield* polled(first, merchant, 13)).at(-1)

      const [serving] = commands().filter(isServe)
      assert.include(serving?.code, "WORKERS=off")
      const drill = yield* serverProcess({ ...environmentOf(restored.url), ...idle }, alone)
      assert.deepStrictEqual(yield* polled(drill, merchant, 12), known)
      yield* Effect.replicateEffect(paid(drill, merchant, 10), 3)
      const after = yield* polled(drill, merchant, 15)
      assert.deepStrictEqual(after.slice(0, 12), known)
      assert.lengthOf(after, 15)
      assert.deepStrictEqual(yield* polled(drill, merchant, 10, known[4]), after.slice(5))
      const refused = yield* send(drill, "GET", `/v1/events?order=oldest&cursor=${lost}`, { bearer: merchant.key })
      assert.strictEqual(refused.status, 400)
      assert.deepInclude(refused.body.errors[0], { parameter: "cursor" })
      assert.lengthOf(yield* listed(drill, merchant, "/v1/events"), 15)
      yield* Effect.sleep("3 seconds")
      assert.lengthOf(target.received, 0)
      assert.include(drill.stderr(), "WORKERS=off")
      yield* Effect.promise(() => drill.stop())

      yield* serverProcess(environmentOf(restored.url), alone)
      yield* target.waitFor(15)
    }).pipe(Effect.scoped),
  timeoutMillis
)
