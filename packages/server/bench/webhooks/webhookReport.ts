import { type BenchReport, type Goal, median } from "../Report.ts"
import type { WebhookMeasured, WebhookRound } from "./measureWebhooks.ts"
import type { SystemName } from "./WorkerMessages.ts"

/** Medians over a subject's rounds. Microseconds are processor time per delivery. */
interface WebhookLine {
  readonly scenario: string
  readonly subject: SystemName
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly senderMicros: number
  readonly databaseMicros: number
  readonly othersShare: number
}

const leastRatio = 2
const mostIdleMillis = 20
/**
 * Maximum ratio of the healthy endpoints' p99 with bad endpoints present to their p99 without them. Two rounds of the
 * same scenario can easily differ by this factor.
 */
const mostUnfairness = 1.2

export const scenarioAlone = "100/s to 10 endpoints, alone"
export const scenarioBeside = "100/s to 10 endpoints, beside bad ones"

const lineOf = ({ rounds, scenario, subject }: WebhookMeasured): WebhookLine => {
  const of = (read: (round: WebhookRound) => number): number => median(rounds.map(read))
  const micros =
    (part: "server" | "database") =>
    ({ cpu, deliveries }: WebhookRound) =>
      cpu === undefined ? Number.NaN : (cpu[part] / deliveries) * 1e6
  return {
    scenario,
    subject,
    perSecond: of(({ perSecond }) => perSecond),
    p50Millis: of(({ p50Millis }) => p50Millis),
    p99Millis: of(({ p99Millis }) => p99Millis),
    senderMicros: of(micros("server")),
    databaseMicros: of(micros("database")),
    othersShare: of(({ cpu }) => (cpu === undefined ? Number.NaN : cpu.others / cpu.available))
  }
}

/** Surety's results for one backlog, relative to graphile-worker's. */
interface Backlog {
  readonly scenario: string
  /** Surety's deliveries per second, divided by graphile-worker's. */
  readonly ratio: number
  /** Graphile-worker's processor time per delivery, divided by Surety's. */
  readonly costRatio: number
}

const backlogsOf = (lines: ReadonlyArray<WebhookLine>): ReadonlyArray<Backlog> =>
  lines.flatMap((ours) => {
    const theirs = lines.find(({ scenario, subject }) => scenario === ours.scenario && subject === "graphile")
    if (ours.subject !== "surety" || theirs === undefined || !ours.scenario.startsWith("backlog")) return []
    const costRatio = (theirs.senderMicros + theirs.databaseMicros) / (ours.senderMicros + ours.databaseMicros)
    return [{ scenario: ours.scenario, ratio: ours.perSecond / theirs.perSecond, costRatio }]
  })

const backlogGoal = ({ costRatio, ratio, scenario }: Backlog): Goal => ({
  what: `${scenario}: surety / graphile`,
  goal: `≥ ${leastRatio}`,
  measured: `${ratio.toFixed(2)}; by processor time ${costRatio.toFixed(2)}`,
  isMet: ratio >= leastRatio
})

const idleGoals = (lines: ReadonlyArray<WebhookLine>): ReadonlyArray<Goal> =>
  lines
    .filter(({ scenario, subject }) => subject === "surety" && scenario.startsWith("idle"))
    .map(({ p50Millis }) => ({
      what: "p50 from commit to receipt when idle",
      goal: `< ${mostIdleMillis} ms`,
      measured: `${p50Millis.toFixed(1)} ms`,
      isMet: p50Millis < mostIdleMillis
    }))

/**
 * Builds the goal that the p99 ratio, as a median over pairs of rounds, is at most `mostUnfairness`. Also reports the
 * p50 ratio. Returns no goal if fairness was not measured.
 */
const fairnessGoals = (measured: ReadonlyArray<WebhookMeasured>): ReadonlyArray<Goal> => {
  const roundsOf = (name: string) => measured.find(({ scenario }) => scenario === name)?.rounds ?? []
  const beside = roundsOf(scenarioBeside)
  if (beside.length === 0) return []
  const ratioOf = (read: (round: WebhookRound) => number): number =>
    median(roundsOf(scenarioAlone).map((alone, index) => read(beside[index] ?? alone) / read(alone)))
  const p50 = ratioOf(({ p50Millis }) => p50Millis)
  const p99 = ratioOf(({ p99Millis }) => p99Millis)
  return [
    {
      what: `p99 beside bad endpoints / alone, median of ${beside.length} pairs of rounds`,
      goal: `≤ ${mostUnfairness}`,
      measured: `${p99.toFixed(2)}; p50 ${p50.toFixed(2)}`,
      isMet: p99 <= mostUnfairness
    }
  ]
}

/** Returns figures by name, such as `ratio10` and `costRatio10` for the backlog of 10 endpoints. */
const figuresOf = (backlogs: ReadonlyArray<Backlog>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    backlogs.flatMap(({ costRatio, ratio, scenario }) => {
      const endpoints = /\d+/.exec(scenario)?.[0] ?? ""
      return [
        [`ratio${endpoints}`, ratio],
        [`costRatio${endpoints}`, costRatio]
      ]
    })
  )

export const toReport = (
  measured: ReadonlyArray<WebhookMeasured>,
  { settings, versions }: Pick<BenchReport, "settings" | "versions">
): BenchReport => {
  const lines = measured.map(lineOf)
  const backlogs = backlogsOf(lines)
  return {
    versions,
    settings,
    lines,
    goals: [...backlogs.map(backlogGoal), ...idleGoals(lines), ...fairnessGoals(measured)],
    figures: figuresOf(backlogs),
    rounds: measured
  }
}
