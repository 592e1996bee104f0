import { type ChildProcess, spawn } from "node:child_process"
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir, userInfo } from "node:os"
import path from "node:path"
import { root } from "../packages.ts"

/**
 * User and group id of all programs except the Surety nodes, if this process runs as root. PostgreSQL and PgBouncer
 * refuse to run as root. Any other id works.
 */
const unprivileged = 65534
const isRoot = userInfo().uid === 0

/** `spawn` options that drop root's privileges. */
export const identity = isRoot ? { uid: unprivileged, gid: unprivileged } : {}

/** Directory of the configuration files. In these, `${NAME}` stands for a value such as a port or a password. */
export const configurations = path.join(root, "deploy", "ha")

/** Fills in the variables of a `deploy/ha` file. Throws if one has no value. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`\${${name}} has no value`)
    return value
  })

export interface Running {
  readonly child: ChildProcess
  /** Path of the program's output file, which exists until the end of the rehearsal. */
  readonly log: string
  /** Immediately kills the program and its children, except PostgreSQL. */
  readonly kill: () => void
  /** Resolves when the program has ended, or if it could not be started. */
  readonly ended: Promise<void>
}

/**
 * A shell script that stops everything and removes the directory $1 when this process closes the script's input or
 * ends. It first kills the programs by process group, so that none restarts another. It then stops each PostgreSQL with
 * SIGQUIT, so that PostgreSQL frees its shared memory.
 */
const guardian = `trap '' INT TERM HUP
cat >/dev/null
cd "$1" || exit 0
for each in pids/*; do kill -9 "-\${each#pids/}" 2>/dev/null; done
for each in */data/postmaster.pid; do
  [ -f "$each" ] || continue
  pid=$(head -n 1 "$each")
  kill -QUIT "$pid" 2>/dev/null
  tries=0
  while kill -0 "$pid" 2>/dev/null && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -9 "$pid" 2>/dev/null
done
cd /; rm -rf "$1"`

/**
 * A temporary directory and the programs that run in it. When `end` is called or this process dies, all programs stop
 * and the directory is removed.
 */
export class Place {
  readonly directory: string
  readonly #guardian: ChildProcess

  constructor() {
    this.directory = mkdtempSync(path.join(tmpdir(), "surety-ha-"))
    mkdirSync(path.join(this.directory, "pids"))
    mkdirSync(path.join(this.directory, "log"))
    if (isRoot) chownSync(this.directory, unprivileged, unprivileged)
    this.#guardian = spawn("/bin/sh", ["-c", guardian, "sh", this.directory], {
      detached: true,
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore"]
    })
  }

  /** Creates a directory for one program, owned by the user that runs the programs, and returns its path. */
  room(name: string): string {
    const directory = path.join(this.directory, name)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if (isRoot) chownSync(directory, unprivileged, unprivileged)
    return directory
  }

  /** Writes a file that is readable only by the user that runs the programs, and returns its path. */
  write(room: string, name: string, text: string): string {
    const file = path.join(room, name)
    writeFileSync(file, text, { mode: 0o600 })
    if (isRoot) chownSync(file, unprivileged, unprivileged)
    return file
  }

  configure(room: string, name: string, values: Readonly<Record<string, string>>): string {
    return this.write(room, name, fill(readFileSync(path.join(configurations, name), "utf8"), values))
  }

  /** Starts a program in a separate process group, without root privileges unless `asSelf` is set. */
  start(
    name: string,
    command: ReadonlyArray<string>,
    { asSelf = false, env = {} }: { readonly asSelf?: boolean; readonly env?: Readonly<Record<string, string>> } = {}
  ): Running {
    const [program = "", ...args] = command
    const log = path.join(this.directory, "log", name)
    const output = openSync(log, "a")
    const child = spawn(program, args, {
      ...(asSelf ? {} : identity),
      cwd: this.directory,
      detached: true,
      env: { PATH: process.env.PATH ?? "", HOME: this.directory, LC_ALL: "C.UTF-8", TZ: "UTC", ...env },
      stdio: ["ignore", output, output]
    })
    closeSync(output)
    const ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve())
      child.once("error", () => resolve())
    })
    const pid = child.pid ?? 0
    const mark = path.join(this.directory, "pids", String(pid))
    if (pid > 0) writeFileSync(mark, name)
    const kill = (): void => {
      if (pid === 0 || child.exitCode !== null || child.signalCode !== null) return
      process.kill(-pid, "SIGKILL")
      // By the end of the rehearsal, the process id may belong to another process. The mark is removed, so that the
      // guardian does not kill that process.
      rmSync(mark, { force: true })
    }
    return { child, log, kill, ended }
  }

  lastLines(): ReadonlyArray<string> {
    const logs = path.join(this.directory, "log")
    return readdirSync(logs).flatMap((name) => {
      const lines = readFileSync(path.join(logs, name), "utf8").trimEnd().split("\n")
      return lines.slice(-3).map((line) => `${name}: ${line}`)
    })
  }

  async end(): Promise<void> {
    if (this.#guardian.exitCode !== null) return
    const ended = new Promise((resolve) => this.#guardian.once("exit", resolve))
    this.#guardian.stdin?.end()
    await ended
  }
}
