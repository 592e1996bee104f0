// node packages/server/bench/flood/main.ts [--quick]
//
// Sends requests from ten times as many callers as the server handles concurrently. Measures the latency of refusals
// and readiness probes, the throughput and the memory use. Prints a report as JSON.
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { Console, Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import { paymentsOfMerchants, seedSize, toFixture } from "../Contender.ts"
import { RefundOrders } from "../load/RefundOrders.ts"
import type { BenchReport } from "../Report.ts"
import * as ServerProcess from "../ServerProcess.ts"
import { seed } from "../surety/seed.ts"
import { environmentFor, inProcess, main } from "../suretyContender.ts"
import { crowd, probing } from "./crowd.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean" } } })
const seconds = values.quick === true ? 3 : 20
const atOnce = 100
const factor = 10

const mostRefusedMillis = 100
const mostMebibytes = 64
const leastServedRatio = 0.5
const mostReadyMillis = 1_000

const percentile = (times: ReadonlyArray<number>, share: number): number | null => {
  const sorted = Float64Array.from(times).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}

const residentMebibytes = (pid: number): number => {
  if (process.platform !== "linux") return Number.NaN
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
}

interface Phase {
  readonly phase: string
  readonly callers: number
  readonly servedPerSecond: number
  readonly servedP50Millis: number | null
  readonly servedP99Millis: number | null
  readonly refusedPerSecond: number
  readonly refusedP50Millis: number | null
  readonly refusedP99Millis: number | null
  readonly readyP99Millis: number | null
  readonly mostMebibytes: number
}

const measure = async (
  { origin, pid }: ServerProcess.ServerProcess,
  orders: RefundOrders,
  phase: string,
  callers: number
): Promise<Phase> => {
  let most = residentMebibytes(pid)
  const sampling = setInterval(() => {
    most = Math.max(most, residentMebibytes(pid))
  }, 100)
  const ready = probing(origin, "/readyz")
  const { refused, seconds: elapsed, served } = await crowd(origin, orders, callers, seconds)
  clearInterval(sampling)
  return {
    phase,
    callers,
    servedPerSecond: served.length / elapsed,
    servedP50Millis: percentile(served, 0.5),
    servedP99Millis: percentile(served, 0.99),
    refusedPerSecond: refused.length / elapsed,
    refusedP50Millis: percentile(refused, 0.5),
    refusedP99Millis: percentile(refused, 0.99),
    readyP99Millis: percentile(await ready.stop(), 0.99),
    mostMebibytes: most
  }
}

const whole = (value: number | null): string => (value === null ? "none" : Math.round(value).toString())

const bench = Effect.gen(function* () {
  const database = yield* BenchDatabase.start()
  const url = database.url.surety
  const environment = { ...environmentFor(url), REQUESTS_AT_ONCE: String(atOnce) }
  const merchants = yield* BenchDatabase.seeding(
    url,
    inProcess(environment, seed(paymentsOfMerchants, seedSize.consumers))
  )
  const server = yield* ServerProcess.start([main, "serve"], environment)
  const orders = new RefundOrders(toFixture(merchants).many, "flood", 1, new Map())
  const phases = yield* Effect.tryPromise({
    try: async () => {
      // The first requests warm up the JIT for the measured ones.
      await measure(server, orders, "warm-up", atOnce)
      return {
        before: await measure(server, orders, "at capacity", atOnce),
        flood: await measure(server, orders, `${factor} times as many callers`, factor * atOnce),
        after: await measure(server, orders, "at capacity again", atOnce)
      }
    },
    catch: (cause) => new BenchFailed({ message: `Measuring failed: ${cause}` })
  })
  const { after, before, flood } = phases
  const grown = flood.mostMebibytes - before.mostMebibytes
  const servedRatio = flood.servedPerSecond / before.servedPerSecond
  const report: BenchReport = {
    versions: { PostgreSQL: database.version },
    settings: { atOnce, seconds },
    lines: [before, flood, after],
    goals: [
      {
        what: "a 503 in the flood: p99",
        goal: `< ${mostRefusedMillis} ms`,
        measured: `${whole(flood.refusedP99Millis)} ms`,
        isMet: (flood.refusedP99Millis ?? Number.POSITIVE_INFINITY) < mostRefusedMillis
      },
      {
        what: "refunds a second, in the flood / at capacity",
        goal: `≥ ${leastServedRatio}`,
        measured: servedRatio.toFixed(2),
        isMet: servedRatio >= leastServedRatio
      },
      {
        what: "memory, in the flood above capacity",
        goal: `≤ ${mostMebibytes} MiB`,
        measured: `${whole(grown)} MiB`,
        isMet: grown <= mostMebibytes
      },
      {
        what: "/readyz in the flood: p99",
        goal: `< ${mostReadyMillis} ms`,
        measured: `${whole(flood.readyP99Millis)} ms`,
        isMet: (flood.readyP99Millis ?? Number.POSITIVE_INFINITY) < mostReadyMillis
      }
    ],
    figures: {
      refusedP50Millis: flood.refusedP50Millis ?? 0,
      refusedP99Millis: flood.refusedP99Millis ?? 0,
      grownMebibytes: grown,
      servedRatio
    },
    rounds: []
  }
  yield* Console.log(JSON.stringify({ flood: report }))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
