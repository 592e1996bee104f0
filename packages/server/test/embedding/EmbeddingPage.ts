import { readdirSync } from "node:fs"
import path from "node:path"
import { type Fence, fencesIn, placeOf, root, textOf } from "../docs/Fence.js"

/** Pages for hosts that embed or run Surety, as paths from the root. */
export const pages: ReadonlyArray<string> = readdirSync(path.join(root, "docs/embedding"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/embedding/${file}`)

/**
 * Tools that a reader has but most tests lack. Bash checks the syntax of each block that needs one. The backup test
 * runs the blocks about backups.
 */
const absentPrograms = ["docker", "kubectl", "pg_dump", "pg_restore", "psql"] as const

/**
 * How to test a block. `followPage` handles the blocks that `followed` matches. The others are:
 *
 * - `ts file <file>.ts`: a program, which is type-checked;
 * - `ts recipe <file>.ts`: a file of `tests/recipes`, which is run there;
 * - `sql run`: run on a migrated database, in page order;
 * - `sh needs <program>`: needs a program that most tests lack. Bash checks the block's syntax, and the backup test
 *   runs the blocks about backups;
 * - `sh needs surety`: concerns the reader's records; its commands and flags must exist;
 * - `sh needs surety serve`: a server that keeps running. Bash checks the syntax. The backup test starts such a server;
 * - `yaml file <name>` and `ini file <name>`: parsed by their grammar;
 * - `mermaid`: a diagram.
 */
export type Treatment = "follow" | "typed" | "recipe" | "sql" | "commands" | "shell" | "parsed" | "picture"

const followed = /^(sh (run|install|start \S+)|(json|text) (answer|prints \S+)|json file \S+)$/

/** Returns how to test a block. Throws if the block does not say. */
export const treatmentOf = (fence: Fence): Treatment => {
  const info = [fence.language, ...fence.words].join(" ")
  if (followed.test(info)) return "follow"
  if (/^ts file \S+\.ts$/.test(info)) return "typed"
  if (/^ts recipe \S+\.ts$/.test(info)) return "recipe"
  if (info === "sql run") return "sql"
  if (info === "sh needs surety") return "commands"
  if (info === "sh needs surety serve") return "shell"
  if (absentPrograms.some((program) => info === `sh needs ${program}` && fence.code.includes(program))) return "shell"
  if (/^(yaml|ini) file \S+$/.test(info)) return "parsed"
  if (info === "mermaid") return "picture"
  throw new Error(`${placeOf(fence)}: nothing says how this block is tested: ${info}`)
}

export const blocks = (treatment: Treatment): ReadonlyArray<Fence> =>
  pages.flatMap((page) => fencesIn(page, textOf(page))).filter((fence) => treatmentOf(fence) === treatment)

/**
 * Returns a page's text with blank lines in place of blocks that `followPage` does not handle. Line numbers do not
 * change.
 */
export const followable = (page: string): string => {
  const lines = textOf(page).split("\n")
  for (const fence of fencesIn(page, textOf(page))) {
    if (treatmentOf(fence) === "follow") continue
    const length = fence.code.split("\n").length + 1
    lines.splice(fence.line - 1, length, ...Array.from({ length }, () => ""))
  }
  return lines.join("\n")
}
