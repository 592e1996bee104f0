import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import { root } from "./Fence.js"

const tsc = path.join(root, "node_modules/typescript/bin/tsc")
const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noEmit", "--skipLibCheck"]
// `--moduleDetection force` keeps programs in different directories from sharing declarations.
const target = ["--target", "es2024", "--module", "nodenext", "--moduleDetection", "force", "--types", "node"]

/** Compiles all programs in the directories in one run, under strict settings. Returns the compiler's errors. */
export const typeErrors = (directories: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.promise(() => {
    const programs = directories.flatMap((directory) =>
      readdirSync(directory)
        .filter((file) => /\.m?ts$/.test(file))
        .map((file) => path.join(directory, file))
    )
    return programs.length === 0
      ? Promise.resolve("")
      : new Promise<string>((resolve) =>
          execFile(
            process.execPath,
            [tsc, ...strict, ...target, ...programs],
            { cwd: directories[0] },
            (_, stdout, stderr) => resolve(stdout + stderr)
          )
        )
  })
