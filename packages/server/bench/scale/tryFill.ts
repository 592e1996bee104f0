import { randomBytes } from "node:crypto"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Effect, Redacted } from "effect"
import { spawnSync } from "node:child_process"
import pg from "pg"
import * as ServerProcess from "../ServerProcess.ts"
import { main } from "../suretyContender.ts"
import { Caller } from "./Caller.ts"
import { fill } from "./fill.ts"

const program = Effect.gen(function* () {
  const database = yield* TestPostgres.start({ settings: { autovacuum: "off", shared_buffers: "512MB", max_wal_size: "8GB" } })
  const url = Redacted.value(database.url)
  const operator = randomBytes(24).toString("base64url")
  const env = { DATABASE_URL: url, OPERATOR_TOKEN: operator, SECRETS_KEY: randomBytes(32).toString("base64"), RATE_LIMIT_REFUNDS: "0", RATE_LIMIT_OTHER: "0", RATE_LIMIT_PROVISIONING: "0", LOG_LEVEL: "warning", PORT: "0" }
  const server = yield* ServerProcess.start([main, "serve"], env)
  console.log(server.origin)
  yield* Effect.promise(async () => {
    const started = Date.now()
    const caller = new Caller(server.origin)
    await fill({ databaseUrl: url, caller, operator, refunds: Number(process.argv[2] ?? 500), isChecked: process.argv[3] === "checked", report: (l) => console.log(Date.now() - started, l) })
    caller.close()
    console.log("filled", Date.now() - started)
    const r = spawnSync(process.execPath, [main, "verify", "--full"], { env: { ...env, PATH: process.env.PATH }, encoding: "utf8" })
    console.log(r.status, r.stdout.slice(-600), r.stderr.slice(-1500), Date.now() - started)
    const client = new pg.Client({ connectionString: url }); await client.connect()
    const t = await client.query("select relname, n_live_tup, pg_total_relation_size(relid) size from pg_stat_user_tables where schemaname='surety' order by size desc limit 24")
    console.table(t.rows)
    await client.end()
  })
})
await Effect.runPromise(Effect.scoped(program)).catch((e) => { console.error(e); process.exitCode = 1 })
