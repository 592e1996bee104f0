import { Effect } from "effect"
import { postmasterOf, settle } from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import { type CpuTimes, meter } from "../CpuMeter.ts"
import type { ReceiverProcess, SenderProcess } from "./BenchWorker.ts"
import type { Arrival, Commit, SystemName } from "./WorkerMessages.ts"

/** Result of a round. Latencies run from commit to receipt. */
export interface WebhookRound {
  readonly deliveries: number
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly cpu: CpuTimes | undefined
}

export interface WebhookMeasured {
  readonly scenario: string
  readonly subject: SystemName
  readonly rounds: ReadonlyArray<WebhookRound>
}

const quantile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/**
 * Returns the events' latencies from commit to receipt in milliseconds, sorted. Fails unless each event was received
 * exactly once.
 */
const latencies = Effect.fnUntraced(function* (commits: ReadonlyArray<Commit>, receipts: ReadonlyArray<Commit>) {
  const receivedAt = new Map(receipts)
  if (receivedAt.size !== receipts.length) return yield* new BenchFailed({ message: "An event was received twice" })
  const missing = commits.filter(([id]) => !receivedAt.has(id)).length
  if (missing > 0)
    return yield* new BenchFailed({ message: `${missing} of ${commits.length} events were not received` })
  return commits.map(([id, at]) => (receivedAt.get(id) ?? 0) - at).sort((a, b) => a - b)
})

/**
 * Makes the sender commit events, and waits until all are recorded as delivered. Returns the throughput, latencies and
 * processor times.
 */
export const runRound = Effect.fnUntraced(function* (
  sender: SenderProcess,
  receivers: ReceiverProcess,
  endpoints: ReadonlyArray<number>,
  arrival: Arrival
) {
  yield* settle(sender.databaseUrl)
  yield* receivers.receipts
  const stop = meter({
    load: receivers.pid,
    server: sender.pid,
    postmaster: yield* postmasterOf(sender.databaseUrl)
  })
  const emitted = yield* sender.ask({ kind: "emit", endpoints, arrival })
  const cpu = stop?.()
  if (emitted === undefined) return yield* new BenchFailed({ message: `${sender.name} emitted nothing` })
  const { commits, seconds } = emitted
  const sorted = yield* latencies(commits, yield* receivers.receipts)
  const round: WebhookRound = {
    deliveries: commits.length,
    perSecond: commits.length / seconds,
    p50Millis: quantile(sorted, 0.5),
    p99Millis: quantile(sorted, 0.99),
    cpu
  }
  return round
})
