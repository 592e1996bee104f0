import { textOf } from "./Fence.js"

/** The page's row for a number in the sandbox. */
export interface SandboxRow {
  readonly kind: string
  readonly id: string
  /** The status returned at once, and the final one, if it differs. */
  readonly statuses: ReadonlyArray<string>
  readonly failureReason: string | undefined
  /** How the person acts, where they must: the words between the statuses. */
  readonly acts: string | undefined
}

const quoted = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "")

/** The rows of the table below a heading of a page, without its own heading. */
const tableRows = (page: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, below = ""] = textOf(page).split(`\n## ${heading}\n`)
  return (below.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => line.split("|").slice(1, -1))
}

/** The sandbox's values as `docs/merchants/kyc.md` lists them, one for each kind that a row names. */
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
