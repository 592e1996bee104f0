import type { Line, Report, Surroundings } from "./Report.ts"

/** From this share on, what else runs on the machine decides what is measured. */
const disturbingShare = 0.05

type Row = ReadonlyArray<string>

/** A Markdown table that is readable as it is; its first two columns are words, the others numbers. */
const table = (rows: ReadonlyArray<Row>): string => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const pad = (cell: string, column: number): string =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  const [head = [], ...body] = rows.map((row) => `| ${row.map(pad).join(" | ")} |`)
  const rule = widths.map((width, column) => (column < 2 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`))
  return [head, `| ${rule.join(" | ")} |`, ...body].join("\n")
}

const millis = (value: number): string => `${value.toFixed(1)} ms`
const micros = (value: number | undefined): string => (value === undefined ? "?" : `${Math.round(value)} µs`)
const percent = (share: number | undefined): string => (share === undefined ? "?" : `${Math.round(share * 100)} %`)

const lineHead: Row = ["scenario", "subject", "req/s", "p50", "p99", "server", "database", "load", "others"]

const lineRow = ({ cost, p50Millis, p99Millis, perSecond, scenario, subject }: Line): Row => [
  scenario,
  subject,
  Math.round(perSecond).toString(),
  millis(p50Millis),
  millis(p99Millis),
  subject === "sql" ? "–" : micros(cost?.server),
  micros(cost?.database),
  micros(cost?.load),
  percent(cost?.othersShare)
]

const introduction = ({ machine, pace, pool, versions }: Surroundings): ReadonlyArray<string> => [
  `${machine}, shared by load, server and database`,
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", "),
  `${pace.connections} connections, pools of ${pool}, ${pace.rounds} alternating rounds of ${pace.roundSeconds} s, medians`,
  "Right of p99: the processor time that a request costs, and what else ran on the machine"
]

const disturbance = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const most = Math.max(...lines.map(({ cost }) => cost?.othersShare ?? 0))
  return most < disturbingShare
    ? []
    : ["", `Something else used up to ${percent(most)} of the machine: measure again when it is quiet.`]
}

/** The report for people. */
export const reportText = ({ goals, lines, surroundings }: Report): string =>
  [
    ...introduction(surroundings),
    "",
    table([lineHead, ...lines.map(lineRow)]),
    "",
    table([
      ["", "goal", "measured", "by processor time", ""],
      ...goals.map(({ byCost, goal, isMet, measured, what }) => [
        ...[what, goal, measured, byCost?.toFixed(2) ?? "", isMet ? "met" : "missed"]
      ])
    ]),
    ...disturbance(lines)
  ].join("\n")
