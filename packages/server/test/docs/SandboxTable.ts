import { textOf } from "./Fence.js"

/** A sandbox number of one kind, with one of the outcomes that `docs/merchants/kyc.md` documents for it. */
export interface SandboxRow {
  readonly kind: string
  readonly id: string
  /** The first status, and the final one if it differs. */
  readonly statuses: ReadonlyArray<string>
  readonly failureReason: string | undefined
  /** The page's words for the required action, which follow `REQUIRES_ACTION`. Undefined if none is required. */
  readonly acts: string | undefined
}

const quoted = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "")

/** Returns the rows of the table below a heading, without the header row. */
const tableRows = (page: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, below = ""] = textOf(page).split(`\n## ${heading}\n`)
  return (below.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => line.split("|").slice(1, -1))
}

/** Parses the table of sandbox values in `docs/merchants/kyc.md`. Splits a row for several kinds into one per kind. */
export const sandboxRows = (): ReadonlyArray<SandboxRow> =>
  tableRows("docs/merchants/kyc.md", "Sandbox values").flatMap(([kinds = "", id = "", ends = "", reason = ""]) =>
    quoted(kinds).map((kind) => ({
      kind,
      id: quoted(id)[0] ?? "",
      statuses: quoted(ends),
      failureReason: quoted(reason)[0],
      acts: /REQUIRES_ACTION`, (.+?) `/u.exec(ends)?.[1]
    }))
  )
