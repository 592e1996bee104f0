import { fork } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Latch } from "effect"
import { lockDirectory } from "../../src/connection/directoryLock.js"

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "surety-lock-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const lockFile = (directory: string) => path.join(directory, "lock")

const isLocked = (directory: string) =>
  Effect.isSuccess(Effect.tryPromise({ try: () => readFile(lockFile(directory)), catch: (cause) => cause }))

const goneProcess = Effect.callback<number>((resume) => {
  const child = fork("-e", [""], { execArgv: [] })
  child.once("exit", () => resume(Effect.succeed(child.pid ?? assert.fail())))
  child.kill("SIGKILL")
})

const leaveBehind = (directory: string, content: string) =>
  Effect.promise(() => writeFile(lockFile(directory), content))

const holder = (pid: number, host: string = hostname()) => JSON.stringify({ pid, host, nonce: "another" })

const lock = (directory: string) => Effect.scoped(lockDirectory(directory))

describe("a lock on a directory", () => {
  it.live("is held until the end of its scope, in a directory that is created if it is missing", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* temporary, "a", "b")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* lockDirectory(directory)
          const error = yield* Effect.flip(lock(directory))
          assert.strictEqual(error.message, `${directory} is in use by process ${process.pid}. Stop it first.`)
          assert.isTrue(yield* isLocked(directory))
        })
      )
      assert.isFalse(yield* isLocked(directory))
      yield* lock(directory)
    })
  )

  it.live("is taken over from a process that is gone, also if this one has its id, or if it says nothing", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      for (const content of [holder(yield* goneProcess), holder(process.pid), "", "{}"]) {
        yield* leaveBehind(directory, content)
        yield* lock(directory)
      }
    })
  )

  it.live("is not taken from a process that is there, nor from one of another machine", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* leaveBehind(directory, holder(process.ppid))
      const here = yield* Effect.flip(lock(directory))
      assert.strictEqual(here.message, `${directory} is in use by process ${process.ppid}. Stop it first.`)
      yield* leaveBehind(directory, holder(7, "elsewhere"))
      const there = yield* Effect.flip(lock(directory))
      assert.strictEqual(
        there.message,
        `${directory} is in use by process 7 on elsewhere. Stop it first; if it no longer runs, remove ${lockFile(directory)}.`
      )
    })
  )

  it.live.each<[ReadonlyArray<string>]>([
    [["lock"]],
    [["lock", "lock.turn"]],
    [["lock", "lock.turn", "lock.turn.turn"]]
  ])("goes to one of many that come at once if dead processes left %j", ([left]) =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const gone = yield* goneProcess
      for (let round = 0; round < 20; round += 1) {
        for (const file of left) {
          yield* Effect.promise(() => writeFile(path.join(directory, file), holder(gone)))
        }
        const allTried = Latch.makeUnsafe(false)
        let refused = 0
        const start = lockDirectory(directory).pipe(
          Effect.andThen(allTried.await),
          Effect.scoped,
          Effect.tapError(() => {
            refused += 1
            return refused === 7 ? allTried.open : Effect.void
          }),
          Effect.exit
        )
        const starts = yield* Effect.replicateEffect(start, 8, { concurrency: "unbounded" })
        assert.lengthOf(starts.filter(Exit.isSuccess), 1)
        assert.isEmpty(yield* Effect.promise(() => readdir(directory)))
      }
    })
  )
})
