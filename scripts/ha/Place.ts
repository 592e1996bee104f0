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

/** PostgreSQL and PgBouncer refuse to run as root; any other id will do. */
const unprivileged = 65534
const isRoot = userInfo().uid === 0

/** How `spawn` starts a program that refuses to be root. */
export const identity = isRoot ? { uid: unprivileged, gid: unprivileged } : {}

/** Where the configuration files are, with `${NAME}` in place of what differs from machine to machine. */
export const configurations = path.join(root, "deploy", "ha")

/** A file of `deploy/ha` with its variables filled in. Throws if one has no value. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`\${${name}} has no value`)
    return value
  })

/** One running program. */
export interface Running {
  readonly child: ChildProcess
  /** Its output, kept until the end of the rehearsal. */
  readonly log: string
  /** Ends it and what it has started, other than PostgreSQL, at once. */
  readonly kill: () => void
  /** When it has ended. */
  readonly ended: Promise<void>
}

/**
 * The shell that ends everything ($1 is the directory): when this process closes its input or is killed itself. First the
 * programs, each with its group, so that none starts another again; then each PostgreSQL, which frees its shared memory.
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
 * A temporary directory and the programs that run in it. All of it is removed when `end` resolves or this process dies.
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

  /** A directory for one program, which its user owns. */
  room(name: string): string {
    const directory = path.join(this.directory, name)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if (isRoot) chownSync(directory, unprivileged, unprivileged)
    return directory
  }

  /** Writes a file that only the programs can read. Returns its path. */
  write(room: string, name: string, text: string): string {
    const file = path.join(room, name)
    writeFileSync(file, text, { mode: 0o600 })
    if (isRoot) chownSync(file, unprivileged, unprivileged)
    return file
  }

  /** Writes a file of `deploy/ha` with its variables filled in. Returns its path. */
  configure(room: string, name: string, values: Readonly<Record<string, string>>): string {
    return this.write(room, name, fill(readFileSync(path.join(configurations, name), "utf8"), values))
  }

  /** Starts a program in a group of its own, without privileges unless `asSelf`. */
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
      // Its number may be another's by the end.
      rmSync(mark, { force: true })
    }
    return { child, log, kill, ended }
  }

  /** The end of each program's output, for a rehearsal that failed. */
  lastLines(): ReadonlyArray<string> {
    const logs = path.join(this.directory, "log")
    return readdirSync(logs).flatMap((name) => {
      const lines = readFileSync(path.join(logs, name), "utf8").trimEnd().split("\n")
      return lines.slice(-3).map((line) => `${name}: ${line}`)
    })
  }

  /** Ends every program and removes the directory. */
  async end(): Promise<void> {
    if (this.#guardian.exitCode !== null) return
    const ended = new Promise((resolve) => this.#guardian.once("exit", resolve))
    this.#guardian.stdin?.end()
    await ended
  }
}
