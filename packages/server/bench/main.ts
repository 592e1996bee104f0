// node packages/server/bench/main.ts [refunds] [whoami] [--quick] [--profile <directory>]
//
// Measures Surety against a hand-written peer and prints reports as JSON; both scenarios by default. `--profile` writes
// Surety's processor profile to the directory, which slows Surety down. See docs/bench.md.
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import { Console, Effect } from "effect"
import * as BenchDatabase from "./BenchDatabase.ts"
import { checkBooks } from "./books.ts"
import { type Contender, poolSize } from "./Contender.ts"
import { checkGuarantees, promises } from "./guarantees.ts"
import * as LoadProcess from "./LoadProcess.ts"
import { type Answered, type Measured, measure, type Pace, refundScenario, whoamiScenario } from "./measure.ts"
import { peerContender } from "./peerContender.ts"
import { toReports } from "./Report.ts"
import { suretyContender } from "./suretyContender.ts"

const calm: Pace = { connections: 32, rounds: 5, roundSeconds: 2, warmUpSeconds: 3 }
const quick: Pace = { connections: 32, rounds: 3, roundSeconds: 1, warmUpSeconds: 1 }

const { positionals, values } = parseArgs({
  options: { quick: { type: "boolean" }, profile: { type: "string" } },
  allowPositionals: true
})
const wants = (name: "refunds" | "whoami"): boolean => positionals.length === 0 || positionals.includes(name)
const pace = values.quick === true ? quick : calm

const profiling = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`]

const say = (text: string): Effect.Effect<void> => Console.error(text)

const scenariosOf = (surety: Contender, peer: Contender) => [
  ...(wants("whoami") ? [whoamiScenario(surety, peer)] : []),
  ...(wants("refunds") ? [refundScenario(surety, peer, "one"), refundScenario(surety, peer, "many")] : [])
]

const versionOf = (name: string): string => createRequire(import.meta.url)(`${name}/package.json`).version

const bench = Effect.gen(function* () {
  yield* say("Starting PostgreSQL and both servers, each with its own database")
  const database = yield* BenchDatabase.start()
  const load = yield* LoadProcess.start()
  const surety = yield* suretyContender(database.url.surety, profiling)
  const peer = yield* peerContender(database.url.peer)

  yield* say(`Checking the ${promises.length} guarantees of both`)
  for (const contender of [surety, peer]) yield* checkGuarantees(contender)

  const answered: Answered = { surety: [], peer: [] }
  const measured: Array<Measured> = []
  for (const scenario of scenariosOf(surety, peer)) {
    yield* say(`Measuring ${scenario.name}`)
    measured.push(...(yield* measure(load, scenario, pace, answered)))
  }

  yield* say("Checking that each 201 is stored exactly once and that the ledger balances")
  for (const contender of [surety, peer]) yield* checkBooks(contender, answered[contender.name])

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
