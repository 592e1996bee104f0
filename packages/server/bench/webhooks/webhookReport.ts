import type { WebhookMeasured, WebhookRound } from "./measureWebhooks.ts"
import type { SystemName } from "./WorkerMessages.ts"

/** A subject's rounds as one line: medians. Costs are microseconds of processor time for each delivery. */
export interface WebhookLine {
  readonly scenario: string
  readonly subject: SystemName
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly senderMicros: number
  readonly databaseMicros: number
  readonly othersShare: number
}

export interface WebhookGoal {
  readonly what: string
  readonly goal: string
  readonly measured: string
  readonly isMet: boolean
}

export interface WebhookReport {
  readonly machine: string
  readonly lines: ReadonlyArray<WebhookLine>
  readonly goals: ReadonlyArray<WebhookGoal>
}

const leastRatio = 2
const mostIdleMillis = 20
/** What two rounds of the same scenario easily differ by. */
const mostUnfairness = 1.2

export const scenarioAlone = "100/s to 10 endpoints, alone"
export const scenarioBeside = "100/s to 10 endpoints, beside bad ones"

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

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

const ratioGoals = (lines: ReadonlyArray<WebhookLine>): ReadonlyArray<WebhookGoal> =>
  lines.flatMap((ours) => {
    const theirs = lines.find(({ scenario, subject }) => scenario === ours.scenario && subject === "graphile")
    if (ours.subject !== "surety" || theirs === undefined || !ours.scenario.startsWith("backlog")) return []
    const ratio = ours.perSecond / theirs.perSecond
    const byCost = (theirs.senderMicros + theirs.databaseMicros) / (ours.senderMicros + ours.databaseMicros)
    const measured = `${ratio.toFixed(2)}, by processor time ${byCost.toFixed(2)}`
    return [
      { what: `${ours.scenario}: surety / graphile`, goal: `≥ ${leastRatio}`, measured, isMet: ratio >= leastRatio }
    ]
  })

const idleGoals = (lines: ReadonlyArray<WebhookLine>): ReadonlyArray<WebhookGoal> =>
  lines
    .filter(({ scenario, subject }) => subject === "surety" && scenario.startsWith("idle"))
    .map(({ p50Millis }) => ({
      what: "p50 from commit to receipt when idle",
      goal: `< ${mostIdleMillis} ms`,
      measured: `${p50Millis.toFixed(1)} ms`,
      isMet: p50Millis < mostIdleMillis
    }))

/** The median of what the bad endpoints did to the others in a round, compared with the round of the others alone beside it. */
const fairnessGoals = (measured: ReadonlyArray<WebhookMeasured>): ReadonlyArray<WebhookGoal> => {
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
      measured: `${p99.toFixed(2)}, p50 ${p50.toFixed(2)}`,
      isMet: p99 <= mostUnfairness
    }
  ]
}

export const reportOf = (measured: ReadonlyArray<WebhookMeasured>, machine: string): WebhookReport => {
  const lines = measured.map(lineOf)
  return { machine, lines, goals: [...ratioGoals(lines), ...idleGoals(lines), ...fairnessGoals(measured)] }
}

const rowOf = (line: WebhookLine): ReadonlyArray<string> => [
  line.scenario,
  line.subject,
  line.perSecond.toFixed(0),
  `${line.p50Millis.toFixed(1)} ms`,
  `${line.p99Millis.toFixed(1)} ms`,
  `${line.senderMicros.toFixed(0)} µs`,
  `${line.databaseMicros.toFixed(0)} µs`,
  `${(line.othersShare * 100).toFixed(0)} %`
]

const head = ["scenario", "subject", "deliveries/s", "p50", "p99", "sender", "database", "others"]

export const reportText = ({ goals, lines, machine }: WebhookReport): string => {
  const rows = [head, ...lines.map(rowOf)]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const text = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
  const told = goals.map(
    ({ goal, isMet, measured, what }) => `${what}: ${measured}, goal ${goal}, ${isMet ? "met" : "MISSED"}`
  )
  return [machine, "", ...text, "", ...told].join("\n")
}
