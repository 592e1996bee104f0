import { type ChildProcess, spawn } from "node:child_process"
import { Effect, type Scope } from "effect"
import { BenchFailed } from "./BenchFailed.ts"

export interface ServerProcess {
  readonly origin: string
  readonly pid: number
  /** The url of the inspector, if Node runs with `--inspect`. */
  readonly inspector: string | undefined
}

const startTimeoutMillis = 120_000
const stopTimeoutMillis = 10_000
const readyLine = /listening on (?<origin>http:\/\/\S+)/
const inspectorLine = /Debugger listening on (?<inspector>ws:\/\/\S+)/

const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    const force = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMillis)
    child.once("exit", () => {
      clearTimeout(force)
      resume(Effect.void)
    })
    child.kill("SIGTERM")
  })

const untilReady = (child: ChildProcess): Effect.Effect<Omit<ServerProcess, "pid">, BenchFailed> =>
  Effect.callback<Omit<ServerProcess, "pid">, BenchFailed>((resume) => {
    let output = ""
    child.once("exit", () => resume(Effect.fail(new BenchFailed({ message: `The server exited: ${output}` }))))
    child.stdout?.on("data", (bytes) => {
      output += bytes
      const origin = readyLine.exec(output)?.groups?.origin
      const inspector = inspectorLine.exec(output)?.groups?.inspector
      if (origin !== undefined) resume(Effect.succeed({ origin, inspector }))
    })
    child.stderr?.on("data", (bytes) => {
      output += bytes
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: startTimeoutMillis,
      orElse: () => Effect.fail(new BenchFailed({ message: `Not ready after ${startTimeoutMillis} ms` }))
    })
  )

/** Starts a Node server and waits up to two minutes for the line with its origin. Closing the scope stops it. */
export const start = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.Effect<ServerProcess, BenchFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, args, {
          env: { PATH: process.env.PATH, NODE_ENV: "production", ...env },
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      stop
    )
    const ready = yield* untilReady(child)
    child.stderr?.pipe(process.stderr)
    return { ...ready, pid: child.pid ?? 0 }
  })
