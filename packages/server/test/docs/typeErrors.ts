import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import { root } from "./Fence.js"

const tsc = path.join(root, "node_modules/typescript/bin/tsc")
const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noEmit", "--skipLibCheck"]
const target = ["--target", "es2024", "--module", "nodenext", "--types", "node"]

/** The compiler's errors in the programs of a directory, under a strict project's settings. */
export const typeErrors = (directory: string): Effect.Effect<string> =>
  Effect.promise(() => {
    const programs = readdirSync(directory).filter((file) => /\.m?ts$/.test(file))
    return programs.length === 0
      ? Promise.resolve("")
      : new Promise<string>((resolve) =>
          execFile(
            process.execPath,
            [tsc, ...strict, ...target, ...programs],
            { cwd: directory },
            (_, stdout, stderr) => resolve(stdout + stderr)
          )
        )
  })
