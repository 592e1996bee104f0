import { median } from "../Report.ts"
import type { Answer } from "./Caller.ts"
import type { Meter, Taken } from "./Meter.ts"

/** A compared store: its number of refunds, and the meter of its server. */
export interface Side {
  readonly refunds: number
  readonly meter: Meter
}

/** Cost of a call: the median and 99th percentile duration, and the mean usage. */
export interface Measured extends Taken {
  readonly p50Millis: number
  readonly p99Millis: number
  /** Length of the longest response, in characters. */
  readonly size: number
}

export type Sends = ReadonlyArray<() => Promise<Answer>>

const p99 = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN

/**
 * Measures the cost of each side's prepared calls. Sends them alternately, so that a disturbance affects all sides
 * equally. Fails unless every response has `status`.
 */
export const inTurns = async (
  what: string,
  status: number,
  sides: ReadonlyArray<{ readonly side: Side; readonly sends: Sends }>
): Promise<ReadonlyArray<Measured>> => {
  const check = (answer: Answer): Answer => {
    if (answer.status !== status) throw new Error(`${what} answered ${answer.status}: ${answer.text.slice(0, 500)}`)
    return answer
  }
  // The first two calls of each side prepare statements and read pages from disk, so they are not measured.
  for (const { sends } of sides) for (const send of sends.slice(0, 2)) check(await send())
  const runs = []
  for (const { side, sends } of sides) {
    runs.push({ rest: sends.slice(2), millis: [] as number[], size: 0, ended: await side.meter.start() })
  }
  const calls = Math.max(...runs.map(({ rest }) => rest.length))
  for (let index = 0; index < calls; index += 1) {
    for (const run of runs) {
      const send = run.rest[index]
      if (send === undefined) continue
      const startedAt = performance.now()
      const answer = check(await send())
      run.millis.push(performance.now() - startedAt)
      run.size = Math.max(run.size, answer.text.length)
    }
  }
  const results: Array<Measured> = []
  for (const { ended, millis, rest, size } of runs) {
    const taken = await ended()
    results.push({
      p50Millis: median(millis),
      p99Millis: p99(millis),
      size,
      serverMicros: taken.serverMicros / rest.length,
      databaseMicros: taken.databaseMicros / rest.length,
      buffers: taken.buffers / rest.length
    })
  }
  return results
}

/**
 * Measures the calls per second, and the processor time and buffers per call, with `connections` calls in flight. Fails
 * unless every response is 201.
 */
export const atOnce = async (
  { meter }: Side,
  connections: number,
  sends: ReadonlyArray<(connection: number) => Promise<Answer>>
): Promise<Taken & { readonly perSecond: number }> => {
  const ended = await meter.start()
  const startedAt = performance.now()
  let next = 0
  const work = async (connection: number): Promise<void> => {
    for (let send = sends[next++]; send !== undefined; send = sends[next++]) {
      const { status, text } = await send(connection)
      if (status !== 201) throw new Error(`A refund answered ${status}: ${text}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, connection) => work(connection)))
  const seconds = (performance.now() - startedAt) / 1000
  const taken = await ended()
  return {
    perSecond: sends.length / seconds,
    serverMicros: taken.serverMicros / sends.length,
    databaseMicros: taken.databaseMicros / sends.length,
    buffers: taken.buffers / sends.length
  }
}
