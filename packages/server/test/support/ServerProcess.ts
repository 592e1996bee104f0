import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import path from "node:path"
import { fileURLToPath } from "node:url"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"

export const main = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../dist/published/main.js")

/**
 * Environment that a process inherits: `PATH` and the run's compile cache, which makes starts faster, but no settings.
 */
export const surroundings = { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "" }

/** `surety serve` in a separate process, as an operator runs it. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  readonly operatorToken: string
  readonly stdout: () => string
  readonly stderr: () => string
  /** Stops reading both outputs, as a log collector that ends does. */
  readonly leaveUnread: () => void
  /** Sends the signal, by default SIGTERM, and returns the exit code once the process has ended. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/**
 * Setting that turns on the welcome page, `/docs` and the OpenAPI documents. For tests that read these documents or
 * measure a full server. Building them takes half of the start time.
 */
export const withDocs = { DOCS: "on" }

const readyWithinMillis = 60_000
const readyLine = /^surety listening on (\S+)$/m

const exitOf = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once("exit", (code) => resolve(code)))

export const runSurety = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [main, ...args], { env: { ...surroundings, ...env } })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => {
    stdout += chunk
  })
  child.stderr.on("data", (chunk) => {
    stderr += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once("close", (status) => resolve(status)))
  return { code, stdout, stderr }
}

/** Matches urls of the run's superuser, even within a list such as `CELLS`. */
const superuserUrl = () => new RegExp(`postgres(?:ql)?://${RunDatabase.superuser()}(?::[^@/]*)?@[^"]*`, "g")

/**
 * Replaces the run's superuser with the serving role in the database urls. Tests pass the superuser's urls, since the
 * superuser owns their databases.
 */
const asServing = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const served = (text: string): string =>
    text.replace(superuserUrl(), (url) => Redacted.value(RunDatabase.asServing(Redacted.make(url))))
  const { CELLS, DATABASE_URL } = env
  return {
    ...env,
    ...(DATABASE_URL === undefined ? {} : { DATABASE_URL: served(DATABASE_URL) }),
    ...(CELLS === undefined ? {} : { CELLS: served(CELLS) })
  }
}

const start = async (env: Readonly<Record<string, string>>): Promise<ServerProcess> => {
  const operatorToken = `op_${randomBytes(16).toString("hex")}`
  const child = spawn(process.execPath, [main, "serve"], {
    env: { ...surroundings, PORT: "0", DOCS: "off", OPERATOR_TOKEN: operatorToken, ...env }
  })
  let stdout = ""
  let stderr = ""
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`no ready line within ${readyWithinMillis} ms\n${stdout}\n${stderr}`))
    }, readyWithinMillis)
    child.stdout.on("data", (chunk) => {
      stdout += chunk
      const ready = readyLine.exec(stdout)?.[1]
      if (ready === undefined) return
      clearTimeout(late)
      resolve(ready)
    })
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    // By the "close" event, all of the process's output has been read.
    child.once("close", (code) => {
      clearTimeout(late)
      reject(new Error(`surety exited with ${code}\n${stdout}\n${stderr}`))
    })
  })
  return {
    url,
    pid: child.pid ?? 0,
    operatorToken: env.OPERATOR_TOKEN ?? operatorToken,
    stdout: () => stdout,
    stderr: () => stderr,
    leaveUnread: () => {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return exitOf(child)
    }
  }
}

/** Reason for running a server as the owner of its tables. */
export interface AsOwner {
  readonly asOwner: string
}

/**
 * Starts a server that stops with the scope. It serves no documents unless `env` includes `withDocs`. Unless `owner` is
 * set, the serving role replaces the run's superuser in the database urls. Each such database must be prepared for this
 * role, for example with `MigratedDatabase`.
 */
export const serverProcess = (env: Readonly<Record<string, string>>, owner?: AsOwner) =>
  Effect.acquireRelease(
    Effect.promise(() => start(owner === undefined ? asServing(env) : env)),
    (server) => Effect.promise(() => server.stop("SIGKILL"))
  )
