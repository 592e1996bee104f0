import { setTimeout as sleep } from "node:timers/promises"
import { KeepAliveConnection } from "../load/KeepAliveConnection.ts"
import type { RefundOrders } from "../load/RefundOrders.ts"

/** A run's duration in seconds, and its response times in milliseconds: `served` for 201 and `refused` for 503. */
export interface Crowd {
  readonly seconds: number
  readonly served: ReadonlyArray<number>
  readonly refused: ReadonlyArray<number>
}

/** Pause between probes, and before a caller retries after a 503: a tenth of the delay in `Retry-After`. */
const pauseMillis = 100

const requestOf = (orders: RefundOrders, host: string): string => {
  const { apiKey, body, idempotencyKey } = orders.next()
  const text = JSON.stringify(body)
  return (
    `POST /v1/refunds HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/json\r\nIdempotency-Key: ${idempotencyKey}\r\n` +
    `Content-Length: ${text.length}\r\n\r\n${text}`
  )
}

/**
 * Runs `callers` concurrent callers for `seconds`. Each sends its next refund after a 201. After a 503 with
 * `Retry-After: 1`, it pauses for 100 ms and sends the same refund again. Rejects on any other response.
 */
export const crowd = async (origin: string, orders: RefundOrders, callers: number, seconds: number): Promise<Crowd> => {
  const { host, hostname, port } = new URL(origin)
  const connections = await Promise.all(
    Array.from({ length: callers }, () => KeepAliveConnection.open(hostname, Number(port)))
  )
  const served: Array<number> = []
  const refused: Array<number> = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const call = async (connection: KeepAliveConnection): Promise<void> => {
    let request = requestOf(orders, host)
    for (let sentAt = performance.now(); sentAt < endsAt; sentAt = performance.now()) {
      const { body, head, status } = await connection.send(request)
      const took = performance.now() - sentAt
      if (status === 201) {
        served.push(took)
        request = requestOf(orders, host)
      } else if (status === 503 && /\r\nretry-after: *1\r\n/i.test(`${head}\r\n`)) {
        refused.push(took)
        await sleep(pauseMillis)
      } else throw new Error(`Expected 201 or 503, got ${status}: ${body}`)
    }
  }
  await Promise.all(connections.map(call))
  const elapsed = (performance.now() - startedAt) / 1000
  for (const connection of connections) connection.close()
  return { seconds: elapsed, served, refused }
}

/**
 * Starts calling a route, with a pause of 100 ms after each response. `stop` ends the calls and returns the response
 * times. It rejects if any response is not 200.
 */
export const probing = (origin: string, path: string) => {
  const took: Array<number> = []
  let isOver = false
  const done = (async () => {
    while (!isOver) {
      const sentAt = performance.now()
      const { status } = await fetch(origin + path)
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      took.push(performance.now() - sentAt)
      await sleep(pauseMillis)
    }
    return took
  })()
  // `stop` reports the failure. Until `stop` is called, an unhandled rejection would end the process.
  done.catch(() => undefined)
  return {
    stop: (): Promise<ReadonlyArray<number>> => {
      isOver = true
      return done
    }
  }
}
