import { type CallError, UnexpectedAnswer } from "../../CallError.js"
import { pause } from "../../call/pause.js"
import { askedMillisOf, mayPass } from "../../call/waitUntilSettled.js"
import type { Client } from "../../createClient.js"
import type { Event } from "../../Interface.generated.js"
import { SuretyError } from "../../SuretyError.js"

export interface Connection {
  readonly onLost: (error: CallError, retryMillis: number) => void
  readonly onRestored: () => void
  readonly signal: AbortSignal
}

const pageSize = 100
/**
 * Pause between two polls. It is zero after a full page, and `first` after a shorter page with events. It grows to
 * `most` while no events arrive.
 */
const idleMillis = { first: 250, most: 1_500 }
const retryBaseMillis = 500
const retryMostMillis = 10_000
const callMillis = 15_000

const retryMillisOf = (error: CallError, failures: number): number => {
  const bound = Math.min(retryMostMillis, retryBaseMillis * 2 ** (failures - 1))
  return Math.round(Math.max(bound / 2 + (Math.random() * bound) / 2, Math.min(askedMillisOf(error), 60_000)))
}

/** Unlike `mayPass`, accepts a tunnel's or proxy's own page, such as a 404 while the service behind it restarts. */
const mayBeRestored = (error: unknown): error is CallError => mayPass(error) || error instanceof UnexpectedAnswer

/**
 * Repeats a call until it succeeds. Rejects with permanent failures, such as a revoked key, and when the signal is
 * aborted.
 */
export const untilAnswered = async <A>(call: () => Promise<A>, connection: Connection): Promise<A> => {
  for (let failures = 1; ; failures += 1) {
    try {
      const answer = await call()
      if (failures > 1) connection.onRestored()
      return answer
    } catch (error) {
      if (!mayBeRestored(error) || connection.signal.aborted) throw error
      const retryMillis = retryMillisOf(error, failures)
      connection.onLost(error, retryMillis)
      await pause(retryMillis, connection.signal)
    }
  }
}

const overlapMillis = 60_000

/**
 * Returns the cursor at the current end of the list in `oldest` order, or `undefined` if that list is empty. The
 * newest-first list may already show later events, so this function reads the list in `oldest` order itself. It starts
 * from an event over a minute older than the newest, or from the start of the list.
 */
export const endOfList = async (client: Client, connection: Connection): Promise<string | undefined> => {
  const { signal } = connection
  const options = { signal, maxRetries: 0, timeoutMillis: callMillis }
  let newestAt: number | undefined
  let cursor: string | undefined
  let page = await untilAnswered(() => client.events.list({ limit: pageSize }, options), connection)
  for (;;) {
    const { data, next } = page
    const last = data.at(-1)
    newestAt ??= data[0] === undefined ? 0 : Date.parse(data[0].occurredAt)
    if (last === undefined || next === undefined) break
    if (newestAt - Date.parse(last.occurredAt) > overlapMillis) {
      cursor = last.id
      break
    }
    page = await untilAnswered(next, connection)
  }
  for (;;) {
    const from = cursor
    const { data, nextCursor } = await untilAnswered(() => followed(client, from, options), connection)
    cursor = nextCursor ?? cursor
    if (data.length < pageSize) return cursor
  }
}

const followed = (client: Client, cursor: string | undefined, options: { readonly signal: AbortSignal }) =>
  client.events.list({ order: "oldest", limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }, options)

/**
 * Yields each event after the cursor `after`, or from the first event, once and in `oldest` order. Polls until the
 * signal is aborted. Retries transient failures, and throws any other.
 */
export async function* follow(
  client: Client,
  after: string | undefined,
  connection: Connection
): AsyncGenerator<Event, void> {
  const { signal } = connection
  const options = { signal, maxRetries: 0, timeoutMillis: callMillis }
  let cursor = after
  let idle = idleMillis.first
  while (!signal.aborted) {
    const from = cursor
    const { data, nextCursor } = await untilAnswered(() => followed(client, from, options), connection).catch(
      (error: unknown) => {
        if (signal.aborted) return { data: [], nextCursor: from }
        throw error
      }
    )
    if (data.length > 0 && nextCursor === from) throw new SuretyError("The service lists the same events again.")
    yield* data
    cursor = nextCursor ?? cursor
    idle = data.length > 0 ? idleMillis.first : Math.min(idleMillis.most, idle * 1.5)
    if (data.length < pageSize) await pause(idle, signal)
  }
}
