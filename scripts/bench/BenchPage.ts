import { type AllBenchData, type BenchData, type BenchName, benchNames } from "./BenchData.ts"

/** The hand-written part of `docs/bench.md`. */
export const templateFile = "docs/bench/template.md"
export const pageFile = "docs/bench.md"

type Cell = BenchData["lines"][number][string]

/** If other processes take at least this share of the processor time, the page says so. */
const disturbingShare = 0.05

const integer = (value: number): string => Math.round(value).toLocaleString("en")

/** Number formats, by the suffix of the column's name. */
const formats: ReadonlyArray<readonly [end: RegExp, show: (value: number) => string]> = [
  [/Millis$/, (value) => `${value.toFixed(1)} ms`],
  [/Micros$/, (value) => `${integer(value)} µs`],
  [/Mebibytes$/, (value) => `${integer(value)} MiB`],
  [/Share$/, (value) => `${Math.round(value * 100)} %`],
  [/[rR]atio$/, (value) => value.toFixed(2)],
  [/.*/, integer]
]

const show = (column: string, cell: Cell | undefined): string => {
  if (cell === null || cell === undefined) return "–"
  if (typeof cell === "string") return cell
  return (formats.find(([end]) => end.test(column))?.[1] ?? String)(cell)
}

/** `roundSeconds` becomes "round seconds". */
const words = (name: string): string => name.replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)

/**
 * Returns a column's heading: `databaseMicros` becomes "database", `oursPerSecond` "ours/s", `perSecond` "a second".
 */
const headOf = (column: string): string =>
  words(column.replace(/(Millis|Micros|Mebibytes|Share)$/, "").replace(/PerSecond$/, "/s")).replace(
    /^per second$/,
    "a second"
  )

const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>, isText: ReadonlyArray<boolean>): string => {
  const widths = isText.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number): string =>
    isText[column] === true ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  const [head = "", ...body] = rows.map((row) => `| ${row.map(pad).join(" | ")} |`)
  const rule = widths.map((width, column) =>
    isText[column] === true ? "-".repeat(width) : `${"-".repeat(width - 1)}:`
  )
  return [head, `| ${rule.join(" | ")} |`, ...body].join("\n")
}

const linesTable = (lines: BenchData["lines"]): string => {
  const columns = Object.keys(lines[0] ?? {})
  return tableOf(
    [columns.map(headOf), ...lines.map((line) => columns.map((column) => show(column, line[column])))],
    columns.map((column) => lines.every((line) => typeof line[column] === "string"))
  )
}

const goalsTable = (goals: BenchData["goals"]): string =>
  tableOf(
    [
      ["", "goal", "measured", ""],
      ...goals.map(({ goal, isMet, measured, what }) => [what, goal, measured, isMet ? "met" : "missed"])
    ],
    [true, true, true, true]
  )

const disturbance = (lines: BenchData["lines"]): ReadonlyArray<string> => {
  const most = Math.max(0, ...lines.map(({ othersShare }) => (typeof othersShare === "number" ? othersShare : 0)))
  return most < disturbingShare ? [] : [`Other processes used up to ${show("othersShare", most)} of the machine.`]
}

const list = (record: Readonly<Record<string, string | number>>, nameOf = (name: string): string => name): string =>
  Object.entries(record)
    .map(([name, value]) => `${nameOf(name)} ${typeof value === "number" ? integer(value) : value}`)
    .join(", ")

const headingOf = ({ machine, measuredOn, note, settings, versions }: BenchData): string =>
  [
    `Measured on ${measuredOn}: ${machine}; ${list(versions)}; ${list(settings, words)}.`,
    ...(note === undefined ? [] : [note])
  ].join("\n")

const sectionOf = (heading: string, lines: BenchData["lines"], goals: BenchData["goals"]): string =>
  [
    [heading, ...disturbance(lines)].join("\n"),
    ...(lines.length === 0 ? [] : [linesTable(lines)]),
    ...(goals.length === 0 ? [] : [goalsTable(goals)])
  ].join("\n\n")

/**
 * Renders a section and its tables for each distinct heading. Results from the same day and machine, with equal
 * versions, settings and notes, have the same heading.
 */
const sections = (some: ReadonlyArray<BenchData>): string =>
  [...Map.groupBy(some, headingOf)]
    .map(([heading, run]) =>
      sectionOf(
        heading,
        run.flatMap(({ lines }) => lines),
        run.flatMap(({ goals }) => goals)
      )
    )
    .join("\n\n")

/** Renders the given results as Markdown that is readable in a terminal. */
export const sectionsOf = (all: AllBenchData): string => sections(benchNames.flatMap((name) => all[name] ?? []))

/**
 * In prose, figures of at least this size are shown as integers. Figures are rounded to three significant digits: 1,717
 * becomes 1,720. Ratios are exempt from both rules.
 */
const roundedFrom = 1000

const quoteOf = (figure: string, value: number): string =>
  /[rR]atio[\dx]*$/.test(figure)
    ? value.toFixed(2)
    : value >= roundedFrom
      ? integer(Number(value.toPrecision(3)))
      : value.toLocaleString("en", { maximumSignificantDigits: 3 })

const isBenchName = (name: string): name is BenchName => benchNames.some((known) => known === name)

const dataOf = (all: AllBenchData, name: string): BenchData | undefined => {
  if (!isBenchName(name)) throw new Error(`There is no bench "${name}"; the benches are ${benchNames.join(", ")}`)
  return all[name]
}

const marker = /<!-- bench:(\w+)\.(\w+) -->[^\s`<]*<!-- \/bench -->/g

/**
 * Fills in each `<!-- bench:name.figure -->…<!-- /bench -->` of a page. Throws if the bench is unknown, has no results
 * or has no such figure.
 */
export const withFigures = (all: AllBenchData, page: string): string =>
  page.replaceAll(marker, (_, name: string, figure: string) => {
    const value = dataOf(all, name)?.figures[figure]
    if (value === undefined) throw new Error(`docs/bench/${name}.json has no figure "${figure}"`)
    return `<!-- bench:${name}.${figure} -->${quoteOf(figure, value)}<!-- /bench -->`
  })

/**
 * Renders `docs/bench.md` from the template. Replaces each `{{bench name …}}` with the results of the named benches. If
 * they have none, inserts the command that measures them. Also fills in the figures.
 */
export const renderPage = (all: AllBenchData, template: string): string =>
  withFigures(
    all,
    template.replaceAll(/\{\{bench ([\w ]+)\}\}/g, (_, names: string) => {
      const measured = names.split(" ").flatMap((name) => dataOf(all, name) ?? [])
      return measured.length === 0 ? `Not measured yet: run \`npx pnpm bench ${names}\`.` : sections(measured)
    })
  )

const measurement = /\d[\d.,]*\s*(?:times|ms|µs|MiB)\b|\d[\d.,]*\s+(?:\w+\s+){0,2}a second/

/**
 * Returns the first measurement outside a marker from each paragraph, list item or table row that links to `bench.md`.
 */
export const unmarkedFigures = (page: string): ReadonlyArray<string> =>
  page
    .split(/\n\s*\n|\n(?=\s*[-*|] )/)
    .filter((paragraph) => /\]\([^)]*bench\.md[^)]*\)/.test(paragraph))
    .flatMap((paragraph) => measurement.exec(paragraph.replaceAll(marker, "…").replaceAll("**", ""))?.[0] ?? [])
