import type { Measured, Pace, Round } from "./measure.ts"

export interface Goal {
  readonly what: string
  readonly goal: string
  readonly measured: string
  readonly isMet: boolean
}

/** Output of a bench, which `scripts/bench.ts` stores and renders. */
export interface BenchReport {
  readonly versions: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, number>>
  /** Rows of the table, keyed by column. A column's name may end with its unit, such as `Millis`. */
  readonly lines: ReadonlyArray<object>
  readonly goals: ReadonlyArray<Goal>
  /** Figures that documentation pages quote. */
  readonly figures: Readonly<Record<string, number>>
  /** Results of each round. Printed but not stored. */
  readonly rounds: ReadonlyArray<unknown>
}

/**
 * Medians over a subject's rounds. Microseconds are processor time per request. Processor times and `othersShare` are
 * null except on Linux, and `serverMicros` is also null for the bare database.
 */
interface Line {
  readonly scenario: string
  readonly subject: Measured["subject"]
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly serverMicros: number | null
  readonly databaseMicros: number | null
  readonly loadMicros: number | null
  /** Other processes' share of the machine's processor time. */
  readonly othersShare: number | null
}

const leastWhoamiRatio = 1

/**
 * Goals relative to the simple peer, by number of connections. `ratio` is the minimum for requests per second. `cost`
 * is the maximum for processor time of server and database.
 */
const simpleGoals: ReadonlyMap<number, { readonly ratio: number; readonly cost: number }> = new Map([
  [8, { ratio: 1, cost: 1 }],
  [32, { ratio: 2, cost: 0.45 }],
  [128, { ratio: 2.5, cost: 0.35 }]
])

/** Minimum requests per second, relative to the peer with the same guarantees, for one merchant and for many. */
const leastPeerRatio = { one: 3, many: 2 }

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
    scenario: scenario.name,
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

interface Comparison {
  readonly surety: Measured
  readonly peer: Measured
}

const perSecondOf = ({ rounds }: Measured): number => median(rounds.map(({ perSecond }) => perSecond))

const ratioOf = ({ peer, surety }: Comparison): number => perSecondOf(surety) / perSecondOf(peer)

const costOf = (measured: Measured): number | undefined => {
  const { databaseMicros, serverMicros } = lineOf(measured)
  return databaseMicros === null || serverMicros === null ? undefined : databaseMicros + serverMicros
}

/**
 * Returns Surety's processor time per request in server and database, divided by the peer's. Undefined except on Linux.
 * Other load on the machine hardly affects this ratio.
 */
const costRatioOf = ({ peer, surety }: Comparison): number | undefined => {
  const [ours, theirs] = [costOf(surety), costOf(peer)]
  return ours === undefined || theirs === undefined ? undefined : ours / theirs
}

/**
 * Builds the goal for Surety's requests per second divided by the peer's. Reports the ratio of medians and the range
 * over rounds.
 */
const ratioGoal = (comparison: Comparison, least: number): Goal => {
  const { peer, surety } = comparison
  const ratio = ratioOf(comparison)
  const perRound = surety.rounds.map((round, index) => round.perSecond / (peer.rounds[index]?.perSecond ?? Number.NaN))
  const range = `${Math.min(...perRound).toFixed(2)} to ${Math.max(...perRound).toFixed(2)}`
  return {
    what: `${surety.scenario.name}: a second, surety / ${peer.subject}`,
    goal: `≥ ${least.toFixed(1)}`,
    measured: `${ratio.toFixed(2)} (${range})`,
    isMet: ratio >= least
  }
}

const costGoal = (comparison: Comparison, most: number): ReadonlyArray<Goal> => {
  const ratio = costRatioOf(comparison)
  if (ratio === undefined) return []
  return [
    {
      what: `${comparison.surety.scenario.name}: processor time, surety / ${comparison.peer.subject}`,
      goal: `≤ ${most.toFixed(2)}`,
      measured: ratio.toFixed(2),
      isMet: ratio <= most
    }
  ]
}

const latencyGoal = ({ peer, surety }: Comparison): Goal => {
  const [ours, theirs] = [lineOf(surety).p99Millis, lineOf(peer).p99Millis]
  return {
    what: `${surety.scenario.name}: p99, surety / ${peer.subject}`,
    goal: "≤ 1.0",
    measured: `${(ours / theirs).toFixed(2)} (${ours.toFixed(1)} and ${theirs.toFixed(1)} ms)`,
    isMet: ours <= theirs
  }
}

/** Pairs Surety with every peer that ran the same scenario. */
const comparisonsOf = (measured: ReadonlyArray<Measured>): ReadonlyArray<Comparison> =>
  measured
    .filter(({ subject }) => subject === "surety")
    .flatMap((surety) =>
      measured
        .filter(({ scenario, subject }) => scenario.name === surety.scenario.name && /^(peer|simple)$/.test(subject))
        .map((peer) => ({ surety, peer }))
    )

const goalsOf = (comparison: Comparison): ReadonlyArray<Goal> => {
  const { peer, surety } = comparison
  const { connections, merchants } = surety.scenario
  if (merchants === undefined) return [ratioGoal(comparison, leastWhoamiRatio)]
  if (peer.subject === "peer")
    return [ratioGoal(comparison, merchants === 1 ? leastPeerRatio.one : leastPeerRatio.many)]
  const goal = simpleGoals.get(connections)
  return goal === undefined
    ? []
    : [ratioGoal(comparison, goal.ratio), ...costGoal(comparison, goal.cost), latencyGoal(comparison)]
}

/**
 * Returns figures by name. `ratio` compares with the peer that has the same guarantees. `simpleRatio8x64` compares with
 * the simple peer, for 8 connections and 64 merchants.
 */
const figuresOf = (comparisons: ReadonlyArray<Comparison>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    comparisons.flatMap((comparison) => {
      const { peer, surety } = comparison
      const { connections, merchants = 1 } = surety.scenario
      const many = merchants === 1 ? "" : String(merchants)
      if (peer.subject === "simple") {
        const suffix = `${connections}${many === "" ? "" : `x${many}`}`
        const cost = costRatioOf(comparison)
        return [
          [`simpleRatio${suffix}`, ratioOf(comparison)],
          ...(cost === undefined ? [] : [[`simpleCostRatio${suffix}`, cost]])
        ]
      }
      const { databaseMicros, p50Millis, p99Millis, perSecond, serverMicros } = lineOf(surety)
      const figures = { ratio: ratioOf(comparison), perSecond, p50Millis, p99Millis, serverMicros, databaseMicros }
      return Object.entries(figures).flatMap(([name, value]) => (value === null ? [] : [[`${name}${many}`, value]]))
    })
  )

/** Versions and settings used in the measurement. */
export interface Surroundings {
  readonly versions: Readonly<Record<string, string>>
  readonly pace: Pace
  readonly pool: number
}

const reportOf = (measured: ReadonlyArray<Measured>, { pace, pool, versions }: Surroundings): BenchReport => {
  const comparisons = comparisonsOf(measured)
  return {
    versions,
    settings: { pool, rounds: pace.rounds, roundSeconds: pace.roundSeconds },
    lines: measured.map(lineOf),
    goals: comparisons.flatMap(goalsOf),
    figures: figuresOf(comparisons),
    rounds: measured
  }
}

export const toReports = (
  measured: ReadonlyArray<Measured>,
  surroundings: Surroundings
): Readonly<Record<string, BenchReport>> => {
  const byName = Map.groupBy(measured, ({ scenario }) => (scenario.name === "whoami" ? "whoami" : "refunds"))
  return Object.fromEntries([...byName].map(([name, some]) => [name, reportOf(some, surroundings)]))
}
