// node packages/server/bench/routes/main.ts [part of a route's name…] [--quick]
//
// Measures the routes of journeys.ts, each against plain SQL that writes the same number of rows. With several parts,
// measures the routes whose names contain all of them. Prints a report as JSON.
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Console, Effect, Redacted } from "effect"
import pg from "pg"
import * as BenchDatabase from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import { meter } from "../CpuMeter.ts"
import { type BenchReport, median } from "../Report.ts"
import * as ServerProcess from "../ServerProcess.ts"
import { environmentFor, inProcess, main } from "../suretyContender.ts"
import { Client, type Journey, journeys } from "./journeys.ts"
import { countRows, plainTransaction, touchedBy } from "./PlainSql.ts"

const { positionals, values } = parseArgs({ options: { quick: { type: "boolean" } }, allowPositionals: true })
const rounds = values.quick === true ? 1 : 3
const perRound = values.quick === true ? 80 : 400
const connections = 8
/** Maximum processor time of a route in the database, relative to its plain SQL. */
const mostRatio = 3

const newKey = Effect.gen(function* () {
  const merchants = yield* Merchants
  const profile = {
    name: "Bench",
    legalName: "Bench Ltd",
    contactName: Redacted.make("Ada Obi"),
    contactEmail: Redacted.make("ada@bench.example"),
    country: "NG",
    businessType: "retail"
  }
  const { id } = yield* merchants.apply(profile, "bench")
  yield* merchants.changeStatus(id, { to: "ACTIVE", actor: "bench", reason: undefined })
  return Redacted.value((yield* (yield* ApiKeys).issue(id, "TEST")).secret)
})

/**
 * Calls `each` for every index below `count`, with one call at a time per client. Returns the duration and the median
 * latency.
 */
const together = async <C>(
  clients: ReadonlyArray<C>,
  count: number,
  each: (client: C, index: number) => Promise<unknown>
) => {
  const latencies: Array<number> = []
  let next = 0
  const work = async (client: C): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const startedAt = performance.now()
      await each(client, index)
      latencies.push(performance.now() - startedAt)
    }
  }
  const startedAt = performance.now()
  await Promise.all(clients.map(work))
  return { seconds: (performance.now() - startedAt) / 1000, p50Millis: median(latencies), requests: count }
}

interface Round {
  readonly perSecond: number
  readonly p50Millis: number
  readonly serverMicros: number
  readonly databaseMicros: number
}

const measured = async (
  pids: { readonly server: number; readonly postmaster: number },
  run: () => Promise<{ readonly seconds: number; readonly p50Millis: number; readonly requests: number }>
): Promise<Round> => {
  const stop = meter({ load: process.pid, ...pids })
  const { p50Millis, requests, seconds } = await run()
  const cpu = stop?.()
  const micros = (part: "server" | "database"): number => ((cpu?.[part] ?? Number.NaN) * 1e6) / requests
  return {
    perSecond: requests / seconds,
    p50Millis,
    serverMicros: micros("server"),
    databaseMicros: micros("database")
  }
}

const measureJourney = async (
  journey: Journey,
  clients: ReadonlyArray<Client>,
  admin: pg.Client,
  plainClients: ReadonlyArray<pg.Client>,
  pids: { readonly server: number; readonly postmaster: number }
): Promise<ReadonlyArray<readonly [ours: Round, plain: Round]>> => {
  let done = 0
  const prepareAll = async (count: number): Promise<ReadonlyArray<string>> => {
    const prepared: Array<string> = []
    await together(clients, count, async (client, index) => {
      prepared[index] = await journey.prepare(client, done + index)
    })
    return prepared
  }
  const requestAll = async (prepared: ReadonlyArray<string>) => {
    const from = done
    done += prepared.length
    return together(clients, prepared.length, (client, index) =>
      journey.request(client, from + index, prepared[index] ?? "")
    )
  }
  const first = await prepareAll(perRound)
  const before = await countRows(admin)
  await requestAll(first)
  const plain = await plainTransaction(admin, touchedBy(before, await countRows(admin), perRound))
  await together(plainClients, perRound, plain)
  const results: Array<readonly [Round, Round]> = []
  for (let round = 0; round < rounds; round += 1) {
    const prepared = await prepareAll(perRound)
    await admin.query("vacuum (analyze)")
    results.push([
      await measured(pids, () => requestAll(prepared)),
      // The plain statements bypass the server, so its processor time means nothing here.
      await measured(pids, () => together(plainClients, perRound, plain))
    ])
  }
  return results
}

const versionOf = (name: string): string => createRequire(import.meta.url)(`${name}/package.json`).version

const bench = Effect.gen(function* () {
  const database = yield* BenchDatabase.start()
  const url = database.url.surety
  const environment = environmentFor(url)
  const apiKey = yield* inProcess(environment, newKey)
  const server = yield* ServerProcess.start([main, "serve"], environment)
  const pids = { server: server.pid, postmaster: yield* BenchDatabase.postmasterOf(url) }
  const wanted = journeys.filter(({ name }) => positionals.every((part) => name.includes(part)))
  const results = yield* Effect.tryPromise({
    try: async () => {
      const plainClients = await Promise.all(
        Array.from({ length: connections + 1 }, async () => {
          const client = new pg.Client({ connectionString: url })
          await client.connect()
          return client
        })
      )
      const [admin, ...others] = plainClients
      if (admin === undefined) throw new Error("no connection")
      const clients = await Promise.all(Array.from({ length: connections }, () => Client.open(server.origin, apiKey)))
      const found = []
      for (const journey of wanted) {
        console.error(`Measuring ${journey.name}`)
        found.push({ name: journey.name, rounds: await measureJourney(journey, clients, admin, others, pids) })
      }
      for (const client of clients) client.close()
      for (const client of plainClients) await client.end()
      return found
    },
    catch: (cause) => new BenchFailed({ message: `Measuring failed: ${cause}` })
  })

  const lineOf = (scenario: string, subject: string, some: ReadonlyArray<Round>) => ({
    scenario,
    subject,
    perSecond: median(some.map((round) => round.perSecond)),
    p50Millis: median(some.map((round) => round.p50Millis)),
    serverMicros: subject === "sql" ? null : median(some.map((round) => round.serverMicros)),
    databaseMicros: median(some.map((round) => round.databaseMicros))
  })
  const report: BenchReport = {
    versions: { PostgreSQL: database.version, pg: versionOf("pg"), Effect: versionOf("effect") },
    settings: { connections, rounds, perRound },
    lines: results.flatMap(({ name, rounds: pairs }) => [
      lineOf(
        name,
        "surety",
        pairs.map(([ours]) => ours)
      ),
      lineOf(
        name,
        "sql",
        pairs.map(([, plain]) => plain)
      )
    ]),
    goals: results.map(({ name, rounds: pairs }) => {
      const ratio = median(pairs.map(([ours, plain]) => ours.databaseMicros / plain.databaseMicros))
      return {
        what: `${name}: database time, surety / sql`,
        goal: `≤ ${mostRatio.toFixed(1)}`,
        measured: ratio.toFixed(2),
        isMet: ratio <= mostRatio
      }
    }),
    figures: {},
    rounds: results
  }
  yield* Console.log(JSON.stringify({ routes: report }))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
