// node packages/server/bench/main.ts [refunds] [whoami] [--quick] [--json] [--profile <directory>]
//
// Measures Surety against a hand-written peer; both where neither is named. `--profile` leaves a processor profile of
// Surety in the directory, which costs Surety speed. See docs/bench.md.
import { createRequire } from "node:module"
import { cpus, release, totalmem, type } from "node:os"
import { parseArgs } from "node:util"
import { Console, Effect } from "effect"
import * as BenchDatabase from "./BenchDatabase.ts"
import { checkBooks } from "./books.ts"
import { type Contender, poolSize } from "./Contender.ts"
import { checkGuarantees, promises } from "./guarantees.ts"
import * as LoadProcess from "./LoadProcess.ts"
import { type Answered, type Measured, measure, type Pace, refundScenario, whoamiScenario } from "./measure.ts"
import { peerContender } from "./peerContender.ts"
import { toReport } from "./Report.ts"
import { reportText } from "./reportText.ts"
import { suretyContender } from "./suretyContender.ts"

const calm: Pace = { connections: 32, rounds: 5, roundSeconds: 2, warmUpSeconds: 3 }
const quick: Pace = { connections: 32, rounds: 3, roundSeconds: 1, warmUpSeconds: 1 }

const { positionals, values } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "boolean" }, profile: { type: "string" } },
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

const describeMachine = (): string => {
  const cores = cpus()
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return `${cores.length} × ${cores[0]?.model.trim() ?? "unknown processor"}, ${gibibytes} GiB, ${type()} ${release()}`
}

const versionOf = (name: string): string => createRequire(import.meta.url)(`${name}/package.json`).version

const bench = Effect.gen(function* () {
  yield* say("Starting PostgreSQL and both servers, each with its own database")
  const database = yield* BenchDatabase.start()
  const load = yield* LoadProcess.start()
  const surety = yield* suretyContender(database.url.surety, profiling)
  const peer = yield* peerContender(database.url.peer)

  yield* say(`Checking that both give the same ${promises.length} guarantees`)
  for (const contender of [surety, peer]) yield* checkGuarantees(contender)

  const answered: Answered = { surety: [], peer: [] }
  const measured: Array<Measured> = []
  for (const scenario of scenariosOf(surety, peer)) {
    yield* say(`Measuring ${scenario.name}`)
    measured.push(...(yield* measure(load, scenario, pace, answered)))
  }

  yield* say("Checking that every refund answered is stored once, and that the books are sound")
  for (const contender of [surety, peer]) yield* checkBooks(contender, answered[contender.name])

  const versions = {
    Node: process.versions.node,
    PostgreSQL: database.version,
    Fastify: versionOf("fastify"),
    pg: versionOf("pg"),
    Effect: versionOf("effect")
  }
  const report = toReport(measured, { machine: describeMachine(), versions, pace, pool: poolSize })
  yield* Console.log(values.json === true ? JSON.stringify(report, null, 2) : reportText(report))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
