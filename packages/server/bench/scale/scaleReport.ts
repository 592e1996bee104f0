import type { BenchReport } from "../Report.ts"
import type { Taken } from "./Meter.ts"
import type { Measured } from "./measure.ts"

export interface Store {
  readonly refunds: number
  readonly bytes: number
  readonly fillSeconds: number
  readonly verifySeconds: number
}

/** A route or page with its measurements in each store, smallest store first. */
export interface Walked {
  readonly name: string
  readonly measured: ReadonlyArray<Measured>
  /** Statements that accessed the most buffers in the largest store, including those that prepared the calls. */
  readonly statements: ReadonlyArray<string>
}

export interface Walks {
  readonly versions: Readonly<Record<string, string>>
  readonly calls: Readonly<Record<string, number>>
  readonly stores: ReadonlyArray<Store>
  readonly routes: ReadonlyArray<Walked>
  readonly pages: ReadonlyArray<Walked>
  readonly together: ReadonlyArray<Taken & { readonly perSecond: number }>
}

/** Maximum cost of a call in the largest store, relative to the smallest. */
const mostRatio = 2
/** Index trees gain a level or two as the store grows. Up to 40 more buffers do not indicate a full scan. */
const ignoredBuffers = 40
const mostCharacters = 60_000
const mostMillis = 100

const cpuOf = ({ databaseMicros, serverMicros }: Taken): number => databaseMicros + serverMicros

const linesOf = (what: string, walked: ReadonlyArray<Walked>) =>
  walked.flatMap(({ measured, name }) => {
    const [small, large] = [measured[0], measured.at(-1)]
    if (small === undefined || large === undefined) return []
    return [
      {
        [what]: name,
        p50Millis: large.p50Millis,
        p99Millis: large.p99Millis,
        serverMicros: large.serverMicros,
        databaseMicros: large.databaseMicros,
        characters: large.size,
        buffersAtFirst: small.buffers,
        buffers: large.buffers,
        buffersRatio: large.buffers / Math.max(1, small.buffers),
        timeRatio: cpuOf(large) / cpuOf(small)
      }
    ]
  })

/** Returns the names of calls whose buffers grow too much from the smallest to the largest store. */
const growing = (walked: ReadonlyArray<Walked>): ReadonlyArray<string> =>
  walked.flatMap(({ measured, name }) => {
    const [small, large] = [measured[0], measured.at(-1)]
    if (small === undefined || large === undefined) return []
    const more = large.buffers - small.buffers
    return more > ignoredBuffers && large.buffers > mostRatio * small.buffers ? [name] : []
  })

const slower = (walked: ReadonlyArray<Walked>): ReadonlyArray<string> =>
  walked.flatMap(({ measured, name }) => {
    const [small, large] = [measured[0], measured.at(-1)]
    if (small === undefined || large === undefined) return []
    return cpuOf(large) > mostRatio * cpuOf(small) ? [name] : []
  })

const goalOf = (what: string, found: ReadonlyArray<string>) => ({
  what,
  goal: "none",
  measured: found.length === 0 ? "none" : found.join("; "),
  isMet: found.length === 0
})

const largestOf = (walked: ReadonlyArray<Walked>, isOver: (measured: Measured) => boolean): ReadonlyArray<string> =>
  walked.flatMap(({ measured, name }) => {
    const large = measured.at(-1)
    return large !== undefined && isOver(large) ? [name] : []
  })

/** Routes whose cost the summary shows for each store, keyed by the prefix of their columns. */
const readsInSummary = { list: "GET /v1/refunds", identity: "GET /v1/identity", allRefunds: "GET /operator/refunds" }

/**
 * Builds the report on every console page in the largest store. Its goals limit the growth in buffers, the size, the
 * duration and the processor time.
 */
export const pagesReportOf = (
  walks: Pick<Walks, "versions" | "calls" | "pages"> & { readonly refunds: number }
): BenchReport => {
  const { calls, pages, refunds, versions } = walks
  return {
    versions,
    settings: { ...calls, refunds },
    figures: {},
    lines: linesOf("page", pages),
    goals: [
      goalOf(`pages that touch more than ${mostRatio} times the buffers`, growing(pages)),
      goalOf(
        `pages of more than ${mostCharacters / 1000} KB`,
        largestOf(pages, ({ size }) => size > mostCharacters)
      ),
      goalOf(
        `pages slower than ${mostMillis} ms in the median`,
        largestOf(pages, ({ p50Millis }) => p50Millis > mostMillis)
      ),
      goalOf(
        `pages of more than ${mostMillis} ms of processor time`,
        largestOf(pages, (measured) => cpuOf(measured) > mostMillis * 1000)
      )
    ],
    rounds: pages
  }
}

export const reportsOf = ({ calls, pages, routes, stores, together, versions }: Walks) => {
  const largest = stores.at(-1)?.refunds ?? 0
  const common = { versions, settings: { ...calls, refunds: largest }, figures: {}, rounds: [] }
  const at = (name: string, index: number) => routes.find((route) => route.name === name)?.measured[index]
  const lines = stores.map(({ bytes, fillSeconds, refunds, verifySeconds }, index) => ({
    refunds,
    databaseMebibytes: bytes / 2 ** 20,
    bytesARefund: bytes / refunds,
    fillSeconds,
    verifySeconds,
    refundServerMicros: together[index]?.serverMicros ?? null,
    refundDatabaseMicros: together[index]?.databaseMicros ?? null,
    ...Object.fromEntries(
      Object.entries(readsInSummary).flatMap(([head, name]) => [
        [`${head}ServerMicros`, at(name, index)?.serverMicros ?? null],
        [`${head}DatabaseMicros`, at(name, index)?.databaseMicros ?? null]
      ])
    )
  }))
  const refund = routes.find(({ name }) => name === "POST /v1/refunds")?.measured
  const last = together.findLast(({ databaseMicros }) => databaseMicros > 0)
  const figures = {
    refunds: largest,
    bytesARefund: (stores.at(-1)?.bytes ?? 0) / largest,
    refundBuffersAtFirst: refund?.[0]?.buffers ?? 0,
    refundBuffers: refund?.at(-1)?.buffers ?? 0,
    // Omitted if no processor time was measured.
    ...(last === undefined
      ? {}
      : {
          serverMicros: last.serverMicros,
          databaseMicros: last.databaseMicros,
          serverCarries: 1e6 / last.serverMicros,
          databaseCarries: 1e6 / last.databaseMicros
        })
  }
  const summary: BenchReport = { ...common, lines, goals: [], figures }
  const byRoute: BenchReport = {
    ...common,
    lines: linesOf("route", routes),
    goals: [
      goalOf(`routes that touch more than ${mostRatio} times the buffers`, growing(routes)),
      goalOf(`routes that take more than ${mostRatio} times the processor time`, slower(routes))
    ],
    rounds: routes
  }
  const scalePages = pagesReportOf({ versions, calls, refunds: largest, pages })
  return { scale: summary, scaleRoutes: byRoute, scalePages }
}
