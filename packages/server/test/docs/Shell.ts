import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import path from "node:path"
import { Effect, type Scope } from "effect"

/** A program that keeps running while the page is followed. */
export interface Started {
  /** Returns the next `count` lines of output, once they are printed. Dies if the program ends before that. */
  readonly nextLines: (count: number) => Effect.Effect<string>
}

/** A reader's terminal: a directory, and variables that persist between commands. */
export interface Shell {
  /** Runs a block and returns its stdout. Dies, with stdout and stderr, if a command fails. */
  readonly run: (code: string) => Effect.Effect<string>
  readonly start: (code: string) => Effect.Effect<Started, never, Scope.Scope>
  readonly write: (file: string, text: string) => Effect.Effect<void>
}

const state = ".shell-state"

/**
 * Builds a script that restores the shell's variables and functions, runs a block, and saves them for later blocks.
 * Exports only what the page exports.
 */
const script = (code: string): string => `set -euo pipefail
__before=$(compgen -v)
[ ! -f ${state} ] || . ./${state}
${code}
{
  for __name in $(compgen -v | grep -vxF "$__before" | grep -vE '^(_|__.*|BASH_.*|PIPESTATUS)$'); do declare -p "$__name"; done
  declare -f
} > ${state}
`

const bash = (directory: string, code: string) =>
  spawn("bash", ["-c", code], {
    cwd: directory,
    detached: true,
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      HOME: directory,
      // Shares the run's compile cache, which makes commands start faster.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      JAVA_HOME: process.env.JAVA_HOME
    }
  })

const lookEachMillis = 20

/**
 * Opens a terminal in `directory`. `arrive` replaces the page's values with those of this run, such as the server's
 * address. `show` does the reverse for output.
 */
export const makeShell = (
  directory: string,
  translate: { readonly arrive: (text: string) => string; readonly show: (text: string) => string }
): Shell => {
  const run: Shell["run"] = (code) =>
    Effect.promise(
      () =>
        new Promise<string>((resolve, reject) => {
          const child = bash(directory, script(translate.arrive(code)))
          let stdout = ""
          let stderr = ""
          child.stdout.on("data", (chunk) => {
            stdout += chunk
          })
          child.stderr.on("data", (chunk) => {
            stderr += chunk
          })
          child.once("close", (status) =>
            status === 0
              ? resolve(translate.show(stdout))
              : reject(new Error(`exit code ${status} of\n${code}\n${stdout}${stderr}`))
          )
        })
    )

  const start: Shell["start"] = (code) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const child = bash(directory, `. ./${state}; exec ${translate.arrive(code)}`)
        let printed = ""
        const note = (chunk: Buffer): void => {
          printed += chunk
        }
        child.stdout.on("data", note)
        child.stderr.on("data", note)
        const isRunning = () => child.exitCode === null && child.signalCode === null
        const nextLines = (count: number): Effect.Effect<string> =>
          Effect.suspend(() => {
            const lines = printed.split("\n")
            if (lines.length <= count) {
              return isRunning()
                ? Effect.andThen(Effect.sleep(lookEachMillis), nextLines(count))
                : Effect.die(new Error(`it ended after it had printed\n${printed}`))
            }
            printed = lines.slice(count).join("\n")
            return Effect.succeed(translate.show(lines.slice(0, count).join("\n")))
          })
        return { child, isRunning, nextLines }
      }),
      ({ child, isRunning }) =>
        Effect.sync(() => {
          if (child.pid !== undefined && isRunning()) process.kill(-child.pid, "SIGKILL")
        })
    )

  return {
    run,
    start,
    write: (file, text) => Effect.sync(() => writeFileSync(path.join(directory, file), translate.arrive(text)))
  }
}
