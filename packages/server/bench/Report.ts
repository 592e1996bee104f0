import type { Measured, Pace, Round } from "./measure.ts"

/** What ran where. */
export interface Surroundings {
  readonly machine: string
  readonly versions: Readonly<Record<string, string>>
  readonly pace: Pace
  readonly pool: number
}

/** Microseconds of processor time that one request costs. */
export interface Cost {
  readonly server: number
  readonly database: number
  readonly load: number
  /** What else ran on the machine meanwhile, as a share of it. */
  readonly othersShare: number
}

/** A subject's rounds as one line: medians. */
export interface Line {
  readonly scenario: string
  readonly subject: Measured["subject"]
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Absent where the system does not tell. */
  readonly cost: Cost | undefined
  readonly rounds: ReadonlyArray<Round>
}

/** What is hoped for, and what was measured. */
export interface Goal {
  readonly what: string
  readonly goal: string
  readonly measured: string
  /** The same ratio by what a request costs server and database: it hardly changes when the machine is busy. */
  readonly byCost: number | undefined
  readonly isMet: boolean
}

export interface Report {
  readonly surroundings: Surroundings
  readonly lines: ReadonlyArray<Line>
  readonly goals: ReadonlyArray<Goal>
}

const leastRefundRatio = 2
const leastWhoamiRatio = 1
const mostP99Millis = 50

const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

const costsOf = ({ cpu, requests }: Round): ReadonlyArray<Cost> => {
  if (cpu === undefined) return []
  const micros = (seconds: number): number => (seconds * 1e6) / requests
  const othersShare = cpu.others / cpu.available
  return [{ server: micros(cpu.server), database: micros(cpu.database), load: micros(cpu.load), othersShare }]
}

const medianCost = (costs: ReadonlyArray<Cost>): Cost | undefined => {
  const medianOf = (of: keyof Cost): number => median(costs.map((cost) => cost[of]))
  return costs.length === 0
    ? undefined
    : {
        server: medianOf("server"),
        database: medianOf("database"),
        load: medianOf("load"),
        othersShare: medianOf("othersShare")
      }
}

const toLine = ({ rounds, scenario, subject }: Measured): Line => {
  const medianOf = (read: (round: Round) => number): number => median(rounds.map(read))
  return {
    scenario,
    subject,
    perSecond: medianOf((round) => round.perSecond),
    p50Millis: medianOf((round) => round.p50Millis),
    p99Millis: medianOf((round) => round.p99Millis),
    cost: medianCost(rounds.flatMap(costsOf)),
    rounds
  }
}

const costRatio = (surety: Cost | undefined, peer: Cost | undefined): number | undefined =>
  surety === undefined || peer === undefined
    ? undefined
    : (peer.server + peer.database) / (surety.server + surety.database)

/** Surety's requests a second as a multiple of the peer's: of the medians, and the least and most of single rounds. */
const ratioGoal = (surety: Line, peer: Line, least: number): Goal => {
  const ratio = surety.perSecond / peer.perSecond
  const perRound = surety.rounds.map((round, index) => round.perSecond / (peer.rounds[index]?.perSecond ?? Number.NaN))
  return {
    what: `${surety.scenario}: surety / peer`,
    goal: `≥ ${least.toFixed(1)}`,
    measured: `${ratio.toFixed(2)} (${Math.min(...perRound).toFixed(2)} to ${Math.max(...perRound).toFixed(2)})`,
    byCost: costRatio(surety.cost, peer.cost),
    isMet: ratio >= least
  }
}

const latencyGoal = ({ p99Millis, scenario }: Line, connections: number): Goal => ({
  what: `${scenario}: surety's p99 at ${connections} connections`,
  goal: `< ${mostP99Millis} ms`,
  measured: `${p99Millis.toFixed(1)} ms`,
  byCost: undefined,
  isMet: p99Millis < mostP99Millis
})

const goalsOf = (lines: ReadonlyArray<Line>, connections: number): ReadonlyArray<Goal> =>
  lines
    .filter(({ subject }) => subject === "surety")
    .flatMap((surety) => {
      const peer = lines.find(({ scenario, subject }) => scenario === surety.scenario && subject === "peer")
      if (peer === undefined) return []
      return surety.scenario === "whoami"
        ? [ratioGoal(surety, peer, leastWhoamiRatio)]
        : [ratioGoal(surety, peer, leastRefundRatio), latencyGoal(surety, connections)]
    })

export const toReport = (measured: ReadonlyArray<Measured>, surroundings: Surroundings): Report => {
  const lines = measured.map(toLine)
  return { surroundings, lines, goals: goalsOf(lines, surroundings.pace.connections) }
}
