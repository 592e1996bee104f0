// node packages/server/bench/scale/main.ts [--refunds <n>,…] [--quick] [--pages]
//
// Fills a store with 1,000 refunds and one store of each given size. Then calls every route of the API and every page
// of the console on all of them. `--pages` measures only the pages. `--refunds` defaults to 10,000, 100,000 and
// 1,000,000. With `--pages` it defaults to 5,000,000, and with `--quick` to 10,000. Prints reports as JSON.
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import { toUuid } from "@surety/core/Ids"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Console, Effect, Redacted } from "effect"
import { query } from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import * as ServerProcess from "../ServerProcess.ts"
import { main } from "../suretyContender.ts"
import { Caller } from "./Caller.ts"
import { fill, takeSamples } from "./fill.ts"
import { Meter } from "./Meter.ts"
import { atOnce, inTurns, type Side } from "./measure.ts"
import { Operator, pageCalls } from "./pageCalls.ts"
import { type Records, recordsOf } from "./records.ts"
import { type RouteDesk, routeCalls } from "./routeCalls.ts"
import { pagesReportOf, reportsOf, type Store, type Walked } from "./scaleReport.ts"

const { values } = parseArgs({
  options: { refunds: { type: "string" }, quick: { type: "boolean" }, pages: { type: "boolean" } }
})
const isPagesOnly = values.pages === true
const isQuick = values.quick === true
const smallest = 1_000
const sizes = [
  smallest,
  ...(values.refunds ?? (isQuick ? "10000" : isPagesOnly ? "5000000" : "10000,100000,1000000"))
    .split(",")
    .map(Number)
    .toSorted((a, b) => a - b)
]
const calls = isQuick ? { reads: 12, changes: 6, pages: 6 } : { reads: 32, changes: 14, pages: 12 }
const warmUpCalls = isQuick ? 20 : 150
const refundsAtOnce = { connections: 32, count: isQuick ? 64 : 256 }

if (sizes.some((size) => !Number.isInteger(size) || size < smallest)) {
  console.error(`--refunds takes whole numbers from ${smallest} on, with commas between them`)
  process.exit(1)
}

const say = (line: string): void => console.error(line)

/**
 * Starts PostgreSQL with settings that keep checkpoints and autovacuum out of the measurements. Each store is vacuumed
 * once it is filled.
 */
const postgres = TestPostgres.start({
  onDisk: true,
  settings: {
    shared_preload_libraries: "pg_stat_statements",
    "pg_stat_statements.max": "10000",
    shared_buffers: "1GB",
    max_wal_size: "16GB",
    checkpoint_timeout: "1h",
    autovacuum: "off"
  }
})

/** A filled store with its server, which runs no workers, and the records that the calls use. */
interface Subject extends Side {
  readonly store: Store
  readonly desk: RouteDesk
  readonly records: Records
  readonly payments: ReadonlyArray<string>
}

const proposer = randomBytes(24).toString("base64url")

const environmentFor = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  OPERATOR_TOKENS: `ada:admin:${createHash("sha256").update(proposer).digest("hex")}`,
  OPERATOR_TOKEN: randomBytes(24).toString("base64url"),
  SECRETS_KEY: randomBytes(32).toString("base64"),
  RATE_LIMIT_REFUNDS: "0",
  RATE_LIMIT_OTHER: "0",
  RATE_LIMIT_PROVISIONING: "0",
  LOG_LEVEL: "none",
  PORT: "0"
})

/** Runs `surety verify --full` and returns its duration in seconds. Fails if it finds any fault. */
const verified = (environment: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const env = { PATH: process.env.PATH, ...environment }
    const child = spawn(process.execPath, [main, "verify", "--full"], { env, stdio: ["ignore", "ignore", "inherit"] })
    child.once("exit", (code) =>
      code === 0
        ? resolve((performance.now() - startedAt) / 1000)
        : reject(new Error(`The filled store does not add up: surety verify ended with ${code}`))
    )
  })

const paymentsOf = (databaseUrl: string, { live }: Records) =>
  Effect.map(
    query(
      databaseUrl,
      `select p.id from surety.payment p
       where p.merchant_id = '${toUuid(live.merchantId)}' and p.environment = 'LIVE' and p.status = 'SETTLED'
         and p.refunded_minor < p.amount_minor / 2
       order by md5(p.id) limit 400`
    ),
    (rows) => rows.map(({ id }) => String(id))
  )

const promised = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new BenchFailed({ message: `${what}: ${cause}` }) })

const subjectOf = Effect.fnUntraced(function* (url: string, refunds: number) {
  const database = `scale_${refunds}`
  yield* query(url, `create database ${database}`)
  const databaseUrl = Object.assign(new URL(url), { pathname: `/${database}` }).href
  const environment = environmentFor(databaseUrl)
  const startedAt = performance.now()
  const samples = yield* Effect.scoped(
    Effect.gen(function* () {
      const server = yield* ServerProcess.start([main, "serve"], environment)
      const caller = new Caller(server.origin)
      const operator = environment.OPERATOR_TOKEN
      return yield* promised("Making one of each record failed", () =>
        takeSamples({ databaseUrl, caller, operator, refunds }).finally(() => caller.close())
      )
    })
  )
  const filled = yield* promised("Filling failed", () =>
    fill({ databaseUrl, samples, refunds, isChecked: false, report: say })
  )
  const fillSeconds = (performance.now() - startedAt) / 1000
  const [row] = yield* query(databaseUrl, "select pg_database_size(current_database())::float8 as bytes")
  const verifySeconds = yield* promised("Verifying failed", () => verified(environment))
  say(`Filled ${refunds} refunds in ${Math.round(fillSeconds)} s and verified them in ${Math.round(verifySeconds)} s`)
  const server = yield* ServerProcess.start([main, "serve"], { ...environment, WORKERS: "off" })
  const records = yield* promised("Reading the records failed", () => recordsOf(databaseUrl, filled))
  const meter = yield* promised("Metering failed", () => Meter.open(databaseUrl, server.pid))
  const caller = new Caller(server.origin)
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      caller.close()
      await meter.close()
    })
  )
  const subject: Subject = {
    refunds,
    meter,
    records,
    store: { refunds, bytes: Number(row?.bytes), fillSeconds, verifySeconds },
    desk: { caller, operator: environment.OPERATOR_TOKEN, proposer, records },
    payments: yield* paymentsOf(databaseUrl, records)
  }
  return subject
})

/** Warms up the JIT. A server that has just started runs uncompiled code, which would distort the comparison. */
const warmUp = async (subjects: ReadonlyArray<Subject>): Promise<void> => {
  for (const { desk } of subjects) {
    for (let index = 0; index < warmUpCalls; index += 1) {
      for (const path of ["/v1/refunds", "/v1/events", "/v1/data-requests"]) {
        await desk.caller.json({ method: "GET", path, bearer: desk.records.live.key }, 200)
      }
    }
  }
}

const walkRoutes = async (subjects: ReadonlyArray<Subject>): Promise<ReadonlyArray<Walked>> => {
  const walked: Array<Walked> = []
  for (const { make, route, status } of routeCalls) {
    const isRead = route.startsWith("GET ")
    const prepared = []
    for (const side of subjects) {
      const sends = []
      for (let index = 0; index < (isRead ? calls.reads : calls.changes); index += 1) {
        const call = await make(side.desk)
        sends.push(() => side.desk.caller.send(call))
      }
      prepared.push({ side, sends })
    }
    const measured = await inTurns(route, status, prepared)
    say(`${route}: ${measured.map(({ buffers }) => Math.round(buffers)).join(", ")} buffers`)
    walked.push({ name: route, measured, statements: await statementsOf(subjects) })
  }
  return walked
}

const walkPages = async (subjects: ReadonlyArray<Subject>): Promise<ReadonlyArray<Walked>> => {
  const sides = []
  for (const side of subjects) {
    const operator = await Operator.signIn(side.desk.caller, side.desk.operator)
    sides.push({ side, operator, pages: await pageCalls(operator, side.records) })
  }
  const walked: Array<Walked> = []
  for (const [index, { page }] of (sides[0]?.pages ?? []).entries()) {
    const prepared = sides.map(({ operator, pages, side }) => ({
      side,
      sends: Array.from({ length: calls.pages }, () => () => operator.get(pages[index]?.path ?? ""))
    }))
    const measured = await inTurns(page, 200, prepared)
    say(`${page}: ${measured.map(({ buffers }) => Math.round(buffers)).join(", ")} buffers`)
    walked.push({ name: page, measured, statements: await statementsOf(subjects) })
  }
  return walked
}

const statementsOf = async (subjects: ReadonlyArray<Subject>): Promise<ReadonlyArray<string>> => {
  let statements: ReadonlyArray<string> = []
  for (const { meter } of subjects) statements = await meter.statements()
  return statements
}

const refundTogether = async (subject: Subject) => {
  const callers = Array.from({ length: refundsAtOnce.connections }, () => new Caller(subject.desk.caller.origin))
  const refund = (id: string) => (connection: number) => {
    const body = { transaction_id: id, amount: 10, reason: "Damaged" }
    const call = { method: "POST", path: "/v1/refunds", bearer: subject.records.live.key, body }
    return (callers[connection] ?? subject.desk.caller).send({ ...call, idempotencyKey: `together-${id}` })
  }
  const sends = subject.payments.map(refund)
  await atOnce(subject, refundsAtOnce.connections, sends.slice(refundsAtOnce.count, refundsAtOnce.count + 64))
  const taken = await atOnce(subject, refundsAtOnce.connections, sends.slice(0, refundsAtOnce.count))
  for (const caller of callers) caller.close()
  return taken
}

const versionOf = (name: string): string => createRequire(import.meta.url)(`${name}/package.json`).version

const bench = Effect.gen(function* () {
  const url = Redacted.value((yield* postgres).url)
  const [row] = yield* query(url, "show server_version")
  const subjects: Array<Subject> = []
  for (const size of new Set(sizes)) subjects.push(yield* subjectOf(url, size))
  yield* promised("Warming up failed", () => warmUp(subjects))
  const routes = isPagesOnly ? [] : yield* promised("Walking the routes failed", () => walkRoutes(subjects))
  const pages = yield* promised("Walking the console failed", () => walkPages(subjects))
  const versions = { PostgreSQL: String(row?.server_version), Effect: versionOf("effect") }
  if (isPagesOnly) {
    const scalePages = pagesReportOf({ versions, calls, refunds: subjects.at(-1)?.refunds ?? 0, pages })
    return yield* Console.log(JSON.stringify({ scalePages }))
  }
  const together = yield* Effect.forEach(subjects, (subject) =>
    promised("Refunds failed", () => refundTogether(subject))
  )
  const stores = subjects.map(({ store }) => store)
  yield* Console.log(JSON.stringify(reportsOf({ versions, calls, stores, routes, pages, together })))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
