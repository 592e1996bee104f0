import { setTimeout as sleep } from "node:timers/promises"
import type { Pool } from "pg"
import {
  type Arrival,
  type Commit,
  type Emitted,
  nowMillis,
  type SenderReply,
  type SenderRequest
} from "./WorkerMessages.ts"

/** Refund payload that every event carries. */
export const benchBody = JSON.stringify({
  merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
  refundId: "refund_01jd4c5p8tf3vs6y2k7m9q4hzn",
  transactionId: "payment_01jd4c3m6kfz2bq7r9t4h8n5wx",
  reference: "ORDER-1042",
  amount: 2500.5,
  currency: "NGN",
  reason: "Arrived broken",
  status: "COMPLETED",
  serviceId: "SR1-K7QM-WX4T-A",
  completedAt: "2026-11-20T10:15:30.250Z",
  merchantReference: "RET-77"
})

/** The parts of a benchmarked sender that differ between Surety and graphile-worker. */
export interface Sender {
  readonly pool: Pool
  /** SQL that counts the pending deliveries to the endpoints with the ids `$1`. */
  readonly unrecorded: string
  /** Converts an endpoint's id to the form that `unrecorded` expects. */
  readonly idInDatabase: (endpointId: string) => string
  readonly register: (url: string) => Promise<string>
  /** Commits an event for the endpoint and returns its id. */
  readonly emit: (endpointId: string) => Promise<string>
}

const recheckMillis = 4

/**
 * Less time than any sender needs to record a delivery. Waiting this long per unrecorded delivery avoids frequent
 * polling, which would burden the sender and PostgreSQL.
 */
const fewestMillisEach = 0.25

/**
 * Handles the parent process's `SenderRequest` messages. The parent awaits each reply before it sends the next request.
 */
export const serveRequests = ({ emit, idInDatabase, pool, register, unrecorded }: Sender): void => {
  const endpointIds: Array<string> = []
  let disturbing: AbortController | undefined

  const idAt = (endpoints: ReadonlyArray<number>, index: number): string =>
    endpointIds[endpoints[index % endpoints.length] ?? 0] ?? ""

  const allRecorded = async (ids: ReadonlyArray<string>): Promise<void> => {
    const count = async () => Number((await pool.query(unrecorded, [ids.map(idInDatabase)])).rows[0]?.count)
    for (let left = await count(); left > 0; left = await count())
      await sleep(Math.max(recheckMillis, left * fewestMillisEach))
  }

  const steadily = async (
    perSecond: number,
    isDone: (sent: number) => boolean,
    send: (index: number) => Promise<unknown>
  ): Promise<void> => {
    const startedAt = nowMillis()
    const underWay = new Set<Promise<unknown>>()
    for (let index = 0; !isDone(index); index += 1) {
      const wait = startedAt + (index * 1000) / perSecond - nowMillis()
      if (wait > 0) await sleep(wait)
      const sending = send(index).finally(() => underWay.delete(sending))
      underWay.add(sending)
    }
    await Promise.all(underWay)
  }

  const arrive = async (arrival: Arrival, send: (index: number) => Promise<unknown>): Promise<void> => {
    if (arrival.kind === "steady") return steadily(arrival.perSecond, (sent) => sent >= arrival.count, send)
    let next = 0
    const line = async (): Promise<void> => {
      for (let index = next++; index < arrival.count; index = next++) await send(index)
    }
    await Promise.all(Array.from({ length: arrival.atOnce }, line))
  }

  const perform = async (request: SenderRequest): Promise<Emitted | undefined> => {
    switch (request.kind) {
      case "register":
        for (const url of request.urls) endpointIds.push(await register(url))
        return undefined
      case "emit": {
        const commits: Array<Commit> = []
        const startedAt = nowMillis()
        await arrive(request.arrival, async (index) => {
          const id = await emit(idAt(request.endpoints, index))
          commits.push([id, nowMillis()])
        })
        await allRecorded(request.endpoints.map((_, index) => idAt(request.endpoints, index)))
        return { commits, seconds: (nowMillis() - startedAt) / 1000 }
      }
      case "disturb": {
        disturbing = new AbortController()
        const { signal } = disturbing
        steadily(
          request.perSecond,
          () => signal.aborted,
          (index) => emit(idAt(request.endpoints, index))
        ).catch((cause: Error) => reply({ failure: cause.message }))
        return undefined
      }
      case "calm":
        disturbing?.abort()
        return undefined
    }
  }

  const reply = (answer: SenderReply): void => void process.send?.(answer)

  process.on("message", (request: SenderRequest) => {
    perform(request).then(
      (done) => reply({ done }),
      (cause: Error) => reply({ failure: cause.stack ?? cause.message })
    )
  })
  process.on("disconnect", () => process.exit())
  reply({ done: undefined })
}
