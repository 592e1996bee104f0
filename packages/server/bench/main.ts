// node packages/server/bench/main.ts [refunds] [whoami] [--connections <n>]… [--quick] [--profile <directory>]
//
// Measures Surety against two hand-written peers and prints reports as JSON. Runs all scenarios by default. `--profile`
// writes Surety's CPU profile to the directory. Profiling slows Surety down. See docs/bench.md.
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import { Console, Effect } from "effect"
import * as BenchDatabase from "./BenchDatabase.ts"
import { checkBooks } from "./books.ts"
import { poolSize } from "./Contender.ts"
import { checkGuarantees, promises } from "./guarantees.ts"
import * as LoadProcess from "./LoadProcess.ts"
import {
  type Answered,
  type Contenders,
  type Measured,
  measure,
  type Pace,
  refundScenario,
  whoamiScenario
} from "./measure.ts"
import { peerContender } from "./peerContender.ts"
import { toReports } from "./Report.ts"
import { suretyContender } from "./suretyContender.ts"

const calm: Pace = { rounds: 5, roundSeconds: 2, warmUpSeconds: 3 }
const quick: Pace = { rounds: 3, roundSeconds: 1, warmUpSeconds: 1 }

/** Few, typical and many connections. */
const connectionCounts = [8, 32, 128]

const { positionals, values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    profile: { type: "string" },
    connections: { type: "string", multiple: true }
  },
  allowPositionals: true
})
const wants = (name: "refunds" | "whoami"): boolean => positionals.length === 0 || positionals.includes(name)
const pace = values.quick === true ? quick : calm

const profiling = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`]

const say = (text: string): Effect.Effect<void> => Console.error(text)

const scenariosOf = (contenders: Contenders) => [
  ...(wants("whoami") ? [whoamiScenario(contenders.surety, contenders.peer)] : []),
  ...(wants("refunds")
    ? (values.connections?.map(Number) ?? connectionCounts).flatMap((connections) => [
        refundScenario(contenders, "one", connections),
        refundScenario(contenders, "many", connections)
      ])
    : [])
]

const versionOf = (name: string): string => createRequire(import.meta.url)(`${name}/package.json`).version

const bench = Effect.gen(function* () {
  yield* say("Starting PostgreSQL and the servers, each with its own database")
  const database = yield* BenchDatabase.start()
  const load = yield* LoadProcess.start()
  const surety = yield* suretyContender(database.url.surety, profiling)
  const peer = yield* peerContender("peer", database.url.peer)
  const simple = yield* peerContender("simple", database.url.simple)
  const contenders: Contenders = { surety, peer, simple }

  yield* say(`Checking the ${promises.length} guarantees of each`)
  for (const contender of Object.values(contenders)) yield* checkGuarantees(contender)

  const answered: Answered = { surety: [], peer: [], simple: [] }
  const measured: Array<Measured> = []
  for (const scenario of scenariosOf(contenders)) {
    yield* say(`Measuring ${scenario.name}`)
    measured.push(...(yield* measure(load, scenario, pace, answered)))
  }

  yield* say("Checking that each 201 is stored exactly once and that the ledger balances")
  for (const contender of Object.values(contenders)) yield* checkBooks(contender, answered[contender.name])

  const versions = {
    PostgreSQL: database.version,
    Fastify: versionOf("fastify"),
    pg: versionOf("pg"),
    Effect: versionOf("effect")
  }
  yield* Console.log(JSON.stringify(toReports(measured, { versions, pace, pool: poolSize })))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
