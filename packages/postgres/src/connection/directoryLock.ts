import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import path from "node:path"
import { Effect, Option, Predicate, Schema, type Scope } from "effect"

/**
 * The error if a running process, possibly this one, holds the lock. A lock from another machine cannot be checked, so
 * it counts as held.
 */
export class DirectoryLocked extends Schema.TaggedError<DirectoryLocked>(
  "@surety/postgres/connection/directoryLock/DirectoryLocked"
)("DirectoryLocked", { directory: Schema.String, file: Schema.String, pid: Schema.Int, host: Schema.String }) {
  override get message(): string {
    const where = this.host === hostname() ? `process ${this.pid}` : `process ${this.pid} on ${this.host}`
    const advice = this.host === hostname() ? "Stop it first." : `Stop it first; if it is gone, remove ${this.file}.`
    return `${this.directory} is in use by ${where}. ${advice}`
  }
}

/**
 * The holder of a lock. `startedAt` distinguishes a process from a later one with the same id, on systems that report
 * it.
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

const readHolder = (file: string): Effect.Effect<Option.Option<Holder>> =>
  attempt(() => readFile(file, "utf8")).pipe(
    Effect.map(decodeHolder),
    Effect.orElseSucceed(() => Option.none())
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

const isLeftBehind = Effect.fnUntraced(function* (file: string) {
  const holder = yield* readHolder(file)
  return Option.isNone(holder) || !(yield* isAlive(holder.value))
})

/**
 * Removes a stale lock, or waits briefly if another process is removing it. Processes take turns through a second lock,
 * which is removed if its holder is dead. Without turns, one process could remove a lock that another has just placed.
 */
const clearAway = Effect.fnUntraced(function* (own: string, file: string) {
  const turn = `${file}.turn`
  if (yield* place(own, turn)) {
    yield* Effect.ensuring(
      Effect.flatMap(isLeftBehind(file), (left) => (left ? remove(file) : Effect.void)),
      remove(turn)
    )
  } else if (yield* isLeftBehind(turn)) {
    yield* remove(turn)
  } else {
    yield* Effect.sleep(turnMillis)
  }
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
      const other = yield* readHolder(file)
      if (Option.isSome(other) && (yield* isAlive(other.value))) {
        return yield* new DirectoryLocked({ directory, file, pid: other.value.pid, host: other.value.host })
      }
      yield* clearAway(own, file)
    }
    return nonce
  }).pipe(
    Effect.onError(() => Effect.sync(() => held.delete(nonce))),
    Effect.ensuring(remove(own))
  )
})

const release = (file: string, nonce: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const holder = yield* readHolder(file)
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
