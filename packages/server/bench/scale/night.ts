// node packages/server/bench/scale/night.ts [--refunds <n>]
//
// Fills a store and runs `surety verify`. Then adds 1 % more refunds through the API and runs `surety verify` again, as
// happens every night. Finally runs it once more without new records. Prints the report as JSON.
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import { toUuid } from "@surety/core/Ids"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Console, Effect, Redacted } from "effect"
import { postmasterOf, query } from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import { meter } from "../CpuMeter.ts"
import type { BenchReport } from "../Report.ts"
import * as ServerProcess from "../ServerProcess.ts"
import { main } from "../suretyContender.ts"
import { Caller } from "./Caller.ts"
import { type Filled, fill, takeSamples } from "./fill.ts"

const { values } = parseArgs({ options: { refunds: { type: "string", default: "250000" } } })
const refunds = Number(values.refunds)
const added = Math.ceil(refunds / 100)
const connections = 32
const mostSeconds = 60

const say = (line: string): void => console.error(line)

const promised = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new BenchFailed({ message: `${what}: ${cause}` }) })

const token = randomBytes(24).toString("base64url")

const environmentFor = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  OPERATOR_TOKENS: `ada:admin:${createHash("sha256").update(randomBytes(24)).digest("hex")}`,
  OPERATOR_TOKEN: token,
  SECRETS_KEY: randomBytes(32).toString("base64"),
  RATE_LIMIT_REFUNDS: "0",
  RATE_LIMIT_OTHER: "0",
  RATE_LIMIT_PROVISIONING: "0",
  VERIFY_WHOLE_UP_TO: "0",
  LOG_LEVEL: "none",
  PORT: "0"
})

type Environment = ReturnType<typeof environmentFor>

const verify = (environment: Environment): Promise<void> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, ...environment }
    const child = spawn(process.execPath, [main, "verify"], { env, stdio: ["ignore", "ignore", "inherit"] })
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`The store does not add up: surety verify ended with ${code}`))
    )
  })

/** Runs `surety verify`. Measures its duration and, on Linux, the processor time that PostgreSQL uses for it. */
const timed = Effect.fnUntraced(function* (run: string, environment: Environment, postmaster: number) {
  const metered = meter({ load: process.pid, server: process.pid, postmaster })
  const startedAt = performance.now()
  yield* promised("Verifying failed", () => verify(environment))
  const seconds = (performance.now() - startedAt) / 1000
  const databaseSeconds = metered?.().database ?? null
  say(`${run}: ${seconds.toFixed(1)} s`)
  return { run, seconds, databaseSeconds }
})

/** Refunds some of the large merchant's payments, adding 1 % to the store's refund count. */
const addRefunds = Effect.fnUntraced(function* (environment: Environment, { places }: Filled) {
  const live = places.find(({ environment }) => environment === "LIVE")
  if (live === undefined) return yield* new BenchFailed({ message: "The large merchant comes first" })
  const payments = yield* query(
    environment.DATABASE_URL,
    `select p.id from surety.payment p
     where p.merchant_id = '${toUuid(live.merchantId)}' and p.environment = 'LIVE' and p.status = 'SETTLED'
       and p.refunded_minor < p.amount_minor / 2
     limit ${added}`
  )
  if (payments.length < added) return yield* new BenchFailed({ message: `Only ${payments.length} payments are left` })
  const server = yield* ServerProcess.start([main, "serve"], { ...environment, WORKERS: "off" })
  const waiting = payments.map(({ id }) => String(id))
  const send = async (): Promise<void> => {
    const caller = new Caller(server.origin)
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const body = { transaction_id: id, amount: 10, reason: "Damaged" }
      const call = { method: "POST", path: "/v1/refunds", bearer: live.key, body, idempotencyKey: `night-${id}` }
      const { status, text } = await caller.send(call)
      if (status !== 201) throw new Error(`A refund answered ${status}: ${text}`)
    }
    caller.close()
  }
  yield* promised("Refunds failed", () => Promise.all(Array.from({ length: connections }, send)))
})

const bench = Effect.gen(function* () {
  const postgres = yield* TestPostgres.start({
    onDisk: true,
    settings: { shared_buffers: "1GB", max_wal_size: "2GB", checkpoint_timeout: "1h", autovacuum: "off" }
  })
  const url = Redacted.value(postgres.url)
  yield* query(url, "create database night")
  const environment = environmentFor(Object.assign(new URL(url), { pathname: "/night" }).href)
  const databaseUrl = environment.DATABASE_URL
  const samples = yield* Effect.scoped(
    Effect.gen(function* () {
      const server = yield* ServerProcess.start([main, "serve"], environment)
      const caller = new Caller(server.origin)
      return yield* promised("Making one of each record failed", () =>
        takeSamples({ databaseUrl, caller, operator: token, refunds }).finally(() => caller.close())
      )
    })
  )
  const filled = yield* promised("Filling failed", () =>
    fill({ databaseUrl, samples, refunds, isChecked: false, report: say })
  )
  const postmaster = yield* postmasterOf(databaseUrl)
  const first = yield* timed("everything, the first time", environment, postmaster)
  yield* Effect.scoped(addRefunds(environment, filled))
  const night = yield* timed("a hundredth more refunds", environment, postmaster)
  const nothing = yield* timed("nothing new", environment, postmaster)
  const [row] = yield* query(url, "show server_version")
  const effect: { readonly version: string } = createRequire(import.meta.url)("effect/package.json")
  const report: BenchReport = {
    versions: { PostgreSQL: String(row?.server_version), Effect: effect.version },
    settings: { refunds, added },
    lines: [first, night, nothing],
    goals: [
      {
        what: "seconds of a night's surety verify",
        goal: `≤ ${mostSeconds}`,
        measured: night.seconds.toFixed(1),
        isMet: night.seconds <= mostSeconds
      }
    ],
    figures: { refunds, added, nightSeconds: night.seconds, firstSeconds: first.seconds },
    rounds: []
  }
  yield* Console.log(JSON.stringify({ night: report }))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
