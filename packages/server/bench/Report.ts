import type { Measured, Pace, Round } from "./measure.ts"

/** What was hoped for, and what was measured. */
export interface Goal {
  readonly what: string
  readonly goal: string
  readonly measured: string
  readonly isMet: boolean
}

/** What a bench prints, for `scripts/bench.ts` to store and render. */
export interface BenchReport {
  readonly versions: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, number>>
  /** The rows of the table, by column. A number's unit is the end of its column's name. */
  readonly lines: ReadonlyArray<object>
  readonly goals: ReadonlyArray<Goal>
  /** Numbers that pages quote. */
  readonly figures: Readonly<Record<string, number>>
  /** The single rounds. Printed, not stored. */
  readonly rounds: ReadonlyArray<unknown>
}

/** Medians of a subject's rounds. Microseconds are processor time for one request; null on systems without `/proc`. */
interface Line {
  readonly scenario: string
  readonly subject: Measured["subject"]
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly serverMicros: number | null
  readonly databaseMicros: number | null
  readonly loadMicros: number | null
  /** The share of the machine that other processes used. */
  readonly othersShare: number | null
}

const leastRefundRatio = 2
const leastWhoamiRatio = 1
const mostP99Millis = 50

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

const medianOrNull = (values: ReadonlyArray<number>): number | null => (values.length === 0 ? null : median(values))

const lineOf = ({ rounds, scenario, subject }: Measured): Line => {
  const of = (read: (round: Round) => number): number => median(rounds.map(read))
  const micros = (part: "server" | "database" | "load"): number | null =>
    medianOrNull(rounds.flatMap(({ cpu, requests }) => (cpu === undefined ? [] : [(cpu[part] * 1e6) / requests])))
  return {
    scenario,
    subject,
    perSecond: of(({ perSecond }) => perSecond),
    p50Millis: of(({ p50Millis }) => p50Millis),
    p99Millis: of(({ p99Millis }) => p99Millis),
    serverMicros: subject === "sql" ? null : micros("server"),
    databaseMicros: micros("database"),
    loadMicros: micros("load"),
    othersShare: medianOrNull(rounds.flatMap(({ cpu }) => (cpu === undefined ? [] : [cpu.others / cpu.available])))
  }
}

/** One scenario, as Surety and the peer did in it. */
interface Comparison {
  readonly surety: Measured
  readonly peer: Measured
}

const perSecondOf = ({ rounds }: Measured): number => median(rounds.map(({ perSecond }) => perSecond))

const ratioOf = ({ peer, surety }: Comparison): number => perSecondOf(surety) / perSecondOf(peer)

/** Processor time per request of server and database, the peer's by Surety's. It hardly changes on a busy machine. */
const costRatioOf = ({ peer, surety }: Comparison): string => {
  const [ours, theirs] = [lineOf(surety), lineOf(peer)].map(({ databaseMicros, serverMicros }) =>
    databaseMicros === null || serverMicros === null ? undefined : databaseMicros + serverMicros
  )
  return ours === undefined || theirs === undefined ? "" : `; by processor time ${(theirs / ours).toFixed(2)}`
}

/** Surety's requests a second by the peer's: the ratio of the medians, and the range of single rounds. */
const ratioGoal = (comparison: Comparison, least: number): Goal => {
  const { peer, surety } = comparison
  const ratio = ratioOf(comparison)
  const perRound = surety.rounds.map((round, index) => round.perSecond / (peer.rounds[index]?.perSecond ?? Number.NaN))
  const range = `${Math.min(...perRound).toFixed(2)} to ${Math.max(...perRound).toFixed(2)}`
  return {
    what: `${surety.scenario}: surety / peer`,
    goal: `≥ ${least.toFixed(1)}`,
    measured: `${ratio.toFixed(2)} (${range})${costRatioOf(comparison)}`,
    isMet: ratio >= least
  }
}

const latencyGoal = ({ p99Millis, scenario }: Line, connections: number): Goal => ({
  what: `${scenario}: surety's p99 at ${connections} connections`,
  goal: `< ${mostP99Millis} ms`,
  measured: `${p99Millis.toFixed(1)} ms`,
  isMet: p99Millis < mostP99Millis
})

const comparisonsOf = (measured: ReadonlyArray<Measured>): ReadonlyArray<Comparison> =>
  measured
    .filter(({ subject }) => subject === "surety")
    .flatMap((surety) => {
      const peer = measured.find(({ scenario, subject }) => scenario === surety.scenario && subject === "peer")
      return peer === undefined ? [] : [{ surety, peer }]
    })

/** Figures of the first scenario have plain names. Those of another end in its number of merchants: `ratio64`. */
const figuresOf = (comparisons: ReadonlyArray<Comparison>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    comparisons.flatMap((comparison, index) => {
      const suffix = index === 0 ? "" : (/\d+/.exec(comparison.surety.scenario)?.[0] ?? "")
      const { databaseMicros, p50Millis, p99Millis, perSecond, serverMicros } = lineOf(comparison.surety)
      const figures = { ratio: ratioOf(comparison), perSecond, p50Millis, p99Millis, serverMicros, databaseMicros }
      return Object.entries(figures).flatMap(([name, value]) => (value === null ? [] : [[`${name}${suffix}`, value]]))
    })
  )

/** The settings that decide what is measured, besides the code. */
export interface Surroundings {
  readonly versions: Readonly<Record<string, string>>
  readonly pace: Pace
  readonly pool: number
}

const reportOf = (measured: ReadonlyArray<Measured>, { pace, pool, versions }: Surroundings): BenchReport => {
  const comparisons = comparisonsOf(measured)
  return {
    versions,
    settings: { connections: pace.connections, pool, rounds: pace.rounds, roundSeconds: pace.roundSeconds },
    lines: measured.map(lineOf),
    goals: comparisons.flatMap((comparison) =>
      comparison.surety.scenario === "whoami"
        ? [ratioGoal(comparison, leastWhoamiRatio)]
        : [ratioGoal(comparison, leastRefundRatio), latencyGoal(lineOf(comparison.surety), pace.connections)]
    ),
    figures: figuresOf(comparisons),
    rounds: measured
  }
}

/** One report for `whoami` and one for `refunds`; only those that were measured. */
export const toReports = (
  measured: ReadonlyArray<Measured>,
  surroundings: Surroundings
): Readonly<Record<string, BenchReport>> => {
  const byName = Map.groupBy(measured, ({ scenario }) => (scenario === "whoami" ? "whoami" : "refunds"))
  return Object.fromEntries([...byName].map(([name, some]) => [name, reportOf(some, surroundings)]))
}
