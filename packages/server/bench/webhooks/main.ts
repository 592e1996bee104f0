// node packages/server/bench/webhooks/main.ts [idle] [backlog] [fairness] [--quick] [--profile <directory>]
//
// Measures Surety's webhooks and, for comparison, an equivalent sender on graphile-worker, in one run. Prints a report
// as JSON. See docs/bench.md.
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Array as Arr, Console, Effect, Redacted } from "effect"
import { checkDurability, query } from "../BenchDatabase.ts"
import { type ReceiverProcess, type SenderProcess, startReceivers, startSender } from "./BenchWorker.ts"
import { runRound, type WebhookMeasured, type WebhookRound } from "./measureWebhooks.ts"
import type { Arrival } from "./WorkerMessages.ts"
import { scenarioAlone, scenarioBeside, toReport } from "./webhookReport.ts"

const { positionals, values } = parseArgs({
  options: { quick: { type: "boolean" }, profile: { type: "string" } },
  allowPositionals: true
})
const wants = (name: "idle" | "backlog" | "fairness"): boolean => positionals.length === 0 || positionals.includes(name)
const isQuick = values.quick === true
const rounds = isQuick ? 3 : 5
const burst = { kind: "burst", count: isQuick ? 3_000 : 5_000, atOnce: 32 } as const
/** Enough deliveries to warm up the JIT before measuring. */
const warmUp = { kind: "burst", count: 12_000, atOnce: 32 } as const
const idle = { kind: "steady", count: isQuick ? 40 : 200, perSecond: 10 } as const
const paced = { kind: "steady", count: isQuick ? 400 : 1_000, perSecond: 100 } as const
const fairRounds = isQuick ? 7 : 11
const fairSoundCount = 10

const soundCount = 100
const places = (from: number, count: number): ReadonlyArray<number> => Arr.makeBy(count, (index) => from + index)

/** Refuses connections, since no process listens on the port. */
const refusing = "http://127.0.0.1:1/refused"

const say = (text: string): Effect.Effect<void> => Console.error(text)

/** Registers the healthy endpoints, then three bad ones. */
const register = (sender: SenderProcess, { origin }: ReceiverProcess) => {
  const sound = places(0, soundCount).map((index) => `${origin}/ok/${index}`)
  return sender.ask({ kind: "register", urls: [...sound, `${origin}/hang`, refusing, `${origin}/slow`] })
}

const alternate = Effect.fnUntraced(function* (
  scenario: string,
  senders: ReadonlyArray<SenderProcess>,
  receivers: ReceiverProcess,
  endpoints: ReadonlyArray<number>,
  arrival: Arrival
) {
  yield* say(`Measuring ${scenario}`)
  const made = senders.map((): Array<WebhookRound> => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, sender] of senders.entries()) {
      made[index]?.push(yield* runRound(sender, receivers, endpoints, arrival))
    }
  }
  return senders.map(({ name }, index): WebhookMeasured => ({ scenario, subject: name, rounds: made[index] ?? [] }))
})

/**
 * Measures the times from commit to receipt at the healthy endpoints of two senders. The second also sends to three bad
 * endpoints. Rounds alternate, so other load on the machine affects both. The second sender's rounds together outlast
 * an attempt's timeout. They therefore cover the time before and after its hanging endpoint counts as failing.
 */
const fairness = Effect.fnUntraced(function* (alone: SenderProcess, beside: SenderProcess, receivers: ReceiverProcess) {
  yield* say("Measuring fairness beside a hanging, a refusing and a slow endpoint")
  const sound = places(0, fairSoundCount)
  const made: Record<"alone" | "beside", Array<WebhookRound>> = { alone: [], beside: [] }
  const disturbed = Effect.acquireUseRelease(
    beside.ask({ kind: "disturb", endpoints: places(soundCount, 3), perSecond: 30 }),
    () => runRound(beside, receivers, sound, paced),
    () => Effect.orDie(beside.ask({ kind: "calm" }))
  )
  for (let round = 0; round < fairRounds; round += 1) {
    const pair = [
      Effect.map(runRound(alone, receivers, sound, paced), (measured) => made.alone.push(measured)),
      Effect.map(disturbed, (measured) => made.beside.push(measured))
    ]
    yield* Effect.all(round % 2 === 0 ? pair : pair.toReversed(), { discard: true })
  }
  return [
    { scenario: scenarioAlone, subject: "surety", rounds: made.alone },
    { scenario: scenarioBeside, subject: "surety", rounds: made.beside }
  ] satisfies ReadonlyArray<WebhookMeasured>
})

// Reads `package.json` directly, since graphile-worker does not export it.
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8")).version

const bench = Effect.gen(function* () {
  yield* say("Starting PostgreSQL, the receivers and both senders")
  const settings = { max_wal_size: "8GB", checkpoint_timeout: "1h", shared_buffers: "512MB" }
  const server = yield* TestPostgres.start({ durable: true, settings })
  const url = Redacted.value(server.url)
  yield* checkDurability(url)
  yield* query(url, "create database surety", "create database graphile", "create database disturbed")
  const urlOf = (name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  const profiling = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`]
  const receivers = yield* startReceivers()
  const surety = yield* startSender("surety", urlOf("surety"), profiling)
  const graphile = yield* startSender("graphile", urlOf("graphile"), [])
  const senders = [surety, graphile]
  for (const sender of senders) yield* register(sender, receivers)
  for (const sender of senders) yield* runRound(sender, receivers, places(0, soundCount), warmUp)

  const measured: Array<WebhookMeasured> = []
  if (wants("idle")) measured.push(...(yield* alternate("idle, 10/s", senders, receivers, places(0, 10), idle)))
  for (const count of wants("backlog") ? [1, 10, soundCount] : []) {
    const scenario = `backlog, ${count} endpoint${count === 1 ? "" : "s"}`
    measured.push(...(yield* alternate(scenario, senders, receivers, places(0, count), burst)))
  }
  if (wants("fairness")) {
    const disturbed = yield* startSender("surety", urlOf("disturbed"), [])
    yield* register(disturbed, receivers)
    yield* runRound(disturbed, receivers, places(0, soundCount), warmUp)
    measured.push(...(yield* fairness(surety, disturbed, receivers)))
  }
  const [row] = yield* query(url, "show server_version")
  const webhooks = toReport(measured, {
    versions: { PostgreSQL: String(row?.server_version), "graphile-worker": versionOf("graphile-worker") },
    settings: { rounds, backlog: burst.count, fairnessRounds: fairRounds, fairnessEvents: paced.count }
  })
  yield* Console.log(JSON.stringify({ webhooks }))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
