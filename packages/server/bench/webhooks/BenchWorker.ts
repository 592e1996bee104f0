import { type ChildProcess, fork } from "node:child_process"
import path from "node:path"
import { Effect, type Scope } from "effect"
import { BenchFailed } from "../BenchFailed.ts"
import type { Commit, Emitted, Receipts, SenderReply, SenderRequest, SystemName } from "./WorkerMessages.ts"

/** Calls `send` and returns the process's next message. Fails if the process exits. */
const nextMessage = <A>(child: ChildProcess, send: () => void): Effect.Effect<A, BenchFailed> =>
  Effect.callback<A, BenchFailed>((resume) => {
    const onExit = (code: number | null): void =>
      resume(Effect.fail(new BenchFailed({ message: `${child.spawnfile} ${child.spawnargs[1]} exited with ${code}` })))
    child.once("exit", onExit)
    child.once("message", (message: A) => {
      child.off("exit", onExit)
      resume(Effect.succeed(message))
    })
    send()
  })

const forked = (file: string, env: Readonly<Record<string, string>>, nodeArguments: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      fork(path.join(import.meta.dirname, file), {
        execArgv: [...nodeArguments],
        env: { PATH: process.env.PATH, NODE_ENV: "production", ...env },
        serialization: "advanced"
      })
    ),
    // Disconnects instead of killing the process, so that it exits normally and writes the profile of `--cpu-prof`.
    (child) => Effect.sync(() => child.disconnect())
  )

/** A process that commits events and sends them. */
export interface SenderProcess {
  readonly name: SystemName
  readonly pid: number
  readonly databaseUrl: string
  readonly ask: (request: SenderRequest) => Effect.Effect<Emitted | undefined, BenchFailed>
}

export const startSender = (
  name: SystemName,
  databaseUrl: string,
  nodeArguments: ReadonlyArray<string>
): Effect.Effect<SenderProcess, BenchFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* forked(`${name}Sender.ts`, { DATABASE_URL: databaseUrl }, nodeArguments)
    const answered = Effect.fnUntraced(function* (send: () => void) {
      const reply = yield* nextMessage<SenderReply>(child, send)
      if ("failure" in reply) return yield* new BenchFailed({ message: `${name}: ${reply.failure}` })
      return reply.done
    })
    yield* answered(() => undefined)
    return { name, databaseUrl, pid: child.pid ?? 0, ask: (request) => answered(() => child.send(request)) }
  })

export interface ReceiverProcess {
  readonly origin: string
  readonly pid: number
  /** Events that the `/ok` endpoints received since the previous read, each with its time of receipt. */
  readonly receipts: Effect.Effect<ReadonlyArray<Commit>, BenchFailed>
}

export const startReceivers = (): Effect.Effect<ReceiverProcess, BenchFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* forked("receivers.ts", {}, [])
    const { origin } = yield* nextMessage<{ readonly origin: string }>(child, () => undefined)
    return {
      origin,
      pid: child.pid ?? 0,
      receipts: Effect.map(
        nextMessage<Receipts>(child, () => child.send("receipts")),
        ({ receipts }) => receipts
      )
    }
  })
