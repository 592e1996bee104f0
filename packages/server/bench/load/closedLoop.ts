import type { LoadResult } from "./LoadJob.ts"

/** Sends one HTTP request, or runs one database transaction, on a connection. Resolves when it is complete. */
export type Exchange = () => Promise<void>

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/**
 * Repeats each exchange for `seconds`, starting again after each response, then waits for the last responses. Each
 * connection has at most one request in flight, so a slow server gets fewer requests.
 */
export const closedLoop = async (
  exchanges: ReadonlyArray<Exchange>,
  seconds: number
): Promise<Omit<LoadResult, "refunds">> => {
  const latencies: Array<number> = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const repeat = async (exchange: Exchange): Promise<void> => {
    let sentAt = performance.now()
    while (sentAt < endsAt) {
      await exchange()
      const answeredAt = performance.now()
      latencies.push(answeredAt - sentAt)
      sentAt = answeredAt
    }
  }
  await Promise.all(exchanges.map(repeat))
  const elapsedMillis = performance.now() - startedAt
  const sorted = Float64Array.from(latencies).sort()
  return {
    requests: sorted.length,
    seconds: elapsedMillis / 1000,
    p50Millis: percentile(sorted, 0.5),
    p99Millis: percentile(sorted, 0.99),
    maxMillis: sorted.at(-1) ?? Number.NaN
  }
}
