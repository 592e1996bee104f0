import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

/** The command as published. */
export const main = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../dist/published/main.js")

/** What a process inherits: no settings, but the run's compile cache, without which a start takes longer. */
export const surroundings = { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "" }

/** The `surety` command as a process of its own, as an operator runs it. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  readonly operatorToken: string
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends the signal. Returns the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Making the documents is half of a start's work: a test that reads them, or weighs a whole server, asks for them. */
export const withDocs = { DOCS: "on" }

const readyWithinMillis = 60_000
const readyLine = /^surety listening on (\S+)$/m

const exitOf = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once("exit", (code) => resolve(code)))

/** Runs `surety` with `args` and waits for its end. */
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
    // By then all that it wrote has been read.
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
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return exitOf(child)
    }
  }
}

/** A running server that is stopped with the scope; without the documents unless `env` has `withDocs`. */
export const serverProcess = (env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.promise(() => start(env)),
    (server) => Effect.promise(() => server.stop("SIGKILL"))
  )
