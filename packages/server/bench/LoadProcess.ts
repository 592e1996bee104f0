import { type ChildProcess, fork } from "node:child_process"
import path from "node:path"
import { Effect, type Scope } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { LoadJob, LoadResult } from "./load/LoadJob.ts"

export interface LoadProcess {
  readonly pid: number
  /** Runs a job. Fails if the job fails, for example on a wrong response, or if the process exits. */
  readonly run: (job: LoadJob) => Effect.Effect<LoadResult, BenchFailed>
}

type Reply = { readonly result: LoadResult } | { readonly failure: string }

const main = path.join(import.meta.dirname, "load", "main.ts")

const perform = (child: ChildProcess, job: LoadJob): Effect.Effect<LoadResult, BenchFailed> =>
  Effect.callback<LoadResult, BenchFailed>((resume) => {
    const fail = (reason: string): void =>
      resume(Effect.fail(new BenchFailed({ message: `${job.target.kind} of ${job.target.system}: ${reason}` })))
    const onExit = (): void => fail("the load process exited")
    child.once("exit", onExit)
    child.once("message", (reply: Reply) => {
      child.off("exit", onExit)
      if ("failure" in reply) fail(reply.failure)
      else resume(Effect.succeed(reply.result))
    })
    child.send(job)
  })

export const start = (): Effect.Effect<LoadProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => fork(main, { serialization: "advanced" })),
    (child) => Effect.sync(() => child.kill())
  ).pipe(Effect.map((child) => ({ pid: child.pid ?? 0, run: (job) => perform(child, job) })))
