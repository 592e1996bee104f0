import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { main, surroundings } from "./ServerProcess.js"

const run = promisify(execFile)

/**
 * Makes an empty directory, removed with the scope. Its name has spaces and an apostrophe, so commands must quote it.
 */
export const dataDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety first start's-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** Runs a curl command line in a shell, as a newcomer would paste it. Returns its output, parsed as JSON. */
export const paste = (line: string) =>
  Effect.map(
    Effect.promise(() => run("/bin/sh", ["-c", `${line} --silent --show-error`])),
    ({ stdout }) => JSON.parse(stdout)
  )

/** Runs a `surety` command line as if pasted into a second terminal. Returns its standard output. */
export const printedBy = (line: string) => {
  const env = { ...surroundings, NODE: process.execPath, MAIN: main }
  const here = line.replace("npx pnpm start", '"$NODE" "$MAIN"')
  return Effect.map(
    Effect.promise(() => run("/bin/sh", ["-c", here], { env })),
    ({ stdout }) => stdout
  )
}

export const pasteCommand = (line: string) => Effect.map(printedBy(line), (printed) => JSON.parse(printed))
