import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import path from "node:path"
import { Effect, Option, Predicate, Schema, type Scope } from "effect"

/**
 * A running process, possibly this one, holds the lock. A lock from another machine cannot be checked, so it counts as
 * held.
 */
export class DirectoryLocked extends Schema.TaggedError<DirectoryLocked>(
  "@surety/postgres/connection/directoryLock/DirectoryLocked"
)("DirectoryLocked", { directory: Schema.String, file: Schema.String, pid: Schema.Int, host: Schema.String }) {
  override get message(): string {
    const where = this.host === hostname() ? `process ${this.pid}` : `process ${this.pid} on ${this.host}`
    const advice =
      this.host === hostname() ? "Stop it first." : `Stop it first; if it no longer runs, remove ${this.file}.`
    return `${this.directory} is in use by ${where}. ${advice}`
  }
}

/**
 * The holder of a lock. `startedAt` distinguishes the process from a later one with the same id, on systems that report
 * start times.
 */
const Holder = Schema.Struct({
  pid: Schema.Int,
  host: Schema.String,
  startedAt: Schema.optionalKey(Schema.String),
  nonce: Schema.String
})
type Holder = typeof Holder.Type

const HolderText = Schema.fromJsonString(Holder)
const decodeHolder = Schema.decodeUnknownOption(HolderText)
const encodeHolder = Schema.encodeSync(HolderText)

const turnMillis = 20

/** Nonces of the locks that this process holds or is acquiring. */
const held = new Set<string>()

const codeOf = (cause: unknown): unknown => (Predicate.hasProperty(cause, "code") ? cause.code : undefined)

const attempt = <A>(evaluate: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: evaluate, catch: (cause) => cause })

/**
 * Returns the start of a process in ticks since boot: field 22 of Linux's `/proc/<pid>/stat`. Undefined if this file
 * cannot be read, as on other systems.
 */
const startOf = (pid: number): Effect.Effect<string | undefined> =>
  attempt(() => readFile(`/proc/${pid}/stat`, "utf8")).pipe(
    Effect.map((stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]),
    Effect.orElseSucceed(() => undefined)
  )

/** True if a process exists. Signal 0 only tests for existence; `EPERM` means that another user's process exists. */
const isRunning = (pid: number): Effect.Effect<boolean> =>
  Effect.try({ try: () => process.kill(pid, 0), catch: codeOf }).pipe(
    Effect.match({ onSuccess: () => true, onFailure: (code) => code === "EPERM" })
  )

const isAlive = Effect.fnUntraced(function* ({ host, nonce, pid, startedAt }: Holder) {
  if (host !== hostname()) return true
  if (pid === process.pid) return held.has(nonce)
  if (!(yield* isRunning(pid))) return false
  const running = yield* startOf(pid)
  return running === undefined || startedAt === undefined || running === startedAt
})

/** Returns the contents of a lock file, empty if it cannot be read. Undefined if the file is missing. */
const textOf = (file: string): Effect.Effect<string | undefined> =>
  attempt(() => readFile(file, "utf8")).pipe(
    Effect.catch((cause) => Effect.succeed(codeOf(cause) === "ENOENT" ? undefined : ""))
  )

/**
 * Places our lock file unless a lock file exists. Returns true if ours was placed. Uses a link, because a new file
 * would become visible before its content.
 */
const place = (own: string, file: string): Effect.Effect<boolean> =>
  attempt(() => link(own, file)).pipe(
    Effect.as(true),
    Effect.catch((cause) => (codeOf(cause) === "EEXIST" ? Effect.succeed(false) : Effect.die(cause)))
  )

const remove = (file: string): Effect.Effect<void> => Effect.promise(() => rm(file, { force: true }))

const isLeftBehind = (text: string): Effect.Effect<boolean> =>
  Option.match(decodeHolder(text), {
    onNone: () => Effect.succeed(true),
    onSome: (holder) => Effect.map(isAlive(holder), (alive) => !alive)
  })

/**
 * Replaces the lock that contains the text `stale` with ours. Returns false if another process is doing so, or has done
 * so.
 *
 * Only the holder of a second lock, the turn, replaces the lock. If a turn's holder died, the turn stays, and processes
 * compete for a further one. Otherwise, two processes that both see the dead holder could each start a turn. The lock
 * is replaced before the turns are removed. A process that finds no turn therefore finds a text other than `stale`.
 */
const takeOver = Effect.fnUntraced(function* (own: string, file: string, stale: string) {
  const ended: Array<string> = []
  let turn = `${file}.turn`
  while (!(yield* place(own, turn))) {
    const text = yield* textOf(turn)
    if (text === undefined) return false
    if (!(yield* isLeftBehind(text))) {
      yield* Effect.sleep(turnMillis)
      return false
    }
    ended.push(turn)
    turn = `${turn}.turn`
  }
  return yield* Effect.ensuring(
    Effect.gen(function* () {
      if ((yield* textOf(file)) !== stale) return false
      yield* Effect.promise(() => rename(own, file))
      yield* Effect.forEach(ended, remove)
      return true
    }),
    remove(turn)
  )
})

const acquire = Effect.fnUntraced(function* (directory: string, file: string) {
  yield* Effect.promise(() => mkdir(directory, { recursive: true }))
  const startedAt = yield* startOf(process.pid)
  const nonce = crypto.randomUUID()
  const own = `${file}.${nonce}`
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    nonce,
    ...(startedAt === undefined ? {} : { startedAt })
  }
  yield* Effect.promise(() => writeFile(own, encodeHolder(holder)))
  held.add(nonce)
  return yield* Effect.gen(function* () {
    while (!(yield* place(own, file))) {
      const text = yield* textOf(file)
      if (text === undefined) continue
      const other = decodeHolder(text)
      if (Option.isSome(other) && (yield* isAlive(other.value))) {
        return yield* new DirectoryLocked({ directory, file, pid: other.value.pid, host: other.value.host })
      }
      if (yield* takeOver(own, file, text)) break
    }
    return nonce
  }).pipe(
    Effect.onError(() => Effect.sync(() => held.delete(nonce))),
    Effect.ensuring(remove(own))
  )
})

const release = (file: string, nonce: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const holder = decodeHolder(yield* textOf(file))
    if (Option.getOrUndefined(holder)?.nonce === nonce) yield* remove(file)
    held.delete(nonce)
  })

/**
 * Locks the directory for this process until the scope closes. Takes over the lock of a dead process. Fails if the
 * holder is alive, or is on another machine and so cannot be checked.
 */
export const lockDirectory = (directory: string): Effect.Effect<void, DirectoryLocked, Scope.Scope> => {
  const file = path.join(directory, "lock")
  return Effect.asVoid(Effect.acquireRelease(acquire(directory, file), (nonce) => release(file, nonce)))
}
