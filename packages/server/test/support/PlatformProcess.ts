import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect } from "effect"
import { root } from "../docs/Fence.js"

const main = path.join(root, "examples/platform-hooks/src/platform.ts")

/** The platform's decision on a refund. */
export interface PlatformCredit {
  readonly refundId: string
  readonly outcome: string
  readonly minor: number
}

export interface PlatformEvent {
  readonly merchantId: string
  readonly topic: string
  readonly body: string
}

/**
 * The platform of `examples/platform-hooks` in a separate process, with its own database. A restart keeps its port.
 */
export class PlatformProcess {
  readonly #directory = mkdtempSync(path.join(tmpdir(), "surety-platform-"))
  readonly #file = path.join(this.#directory, "platform.db")
  #child: ChildProcess | undefined
  /** Lines that the process printed to standard output, without the first line after each start. */
  readonly lines: Array<string> = []

  readonly secret: string
  readonly port: number

  constructor(secret: string, port: number) {
    this.secret = secret
    this.port = port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Settings of a server that uses this platform's hooks. */
  get settings(): Readonly<Record<string, string>> {
    return {
      WALLET_URL: `${this.url}/wallet`,
      WALLET_SECRET: this.secret,
      DIRECTORY_URL: `${this.url}/directory`,
      DIRECTORY_SECRET: this.secret,
      DIRECTORY_FIELDS: "city",
      CONSENT_NOTIFY_URL: `${this.url}/consent`,
      CONSENT_NOTIFY_SECRET: this.secret,
      HOOK_HOSTS: "127.0.0.1"
    }
  }

  async start(): Promise<void> {
    const env = { PATH: process.env.PATH, PORT: String(this.port), HOOK_SECRET: this.secret, PLATFORM_DB: this.#file }
    const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] })
    this.#child = child
    const lines = createInterface({ input: child.stdout })
    await once(lines, "line")
    lines.on("line", (line) => this.lines.push(line))
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  }

  execute(sql: string): void {
    const database = new DatabaseSync(this.#file, { timeout: 10_000 })
    database.exec(sql)
    database.close()
  }

  credits(): ReadonlyArray<PlatformCredit> {
    const database = new DatabaseSync(this.#file, { timeout: 10_000 })
    const rows = database.prepare("select refund_id, outcome, minor from credit").all()
    database.close()
    return rows.map(({ minor, outcome, refund_id }) => ({
      refundId: String(refund_id),
      outcome: String(outcome),
      minor: Number(minor)
    }))
  }

  /** Returns the events that the platform stored, in order of arrival. The platform stores each event once. */
  events(): ReadonlyArray<PlatformEvent> {
    const database = new DatabaseSync(this.#file, { timeout: 10_000 })
    const rows = database.prepare("select merchant_id, topic, body from event order by rowid").all()
    database.close()
    return rows.map(({ body, merchant_id, topic }) => ({
      merchantId: String(merchant_id),
      topic: String(topic),
      body: String(body)
    }))
  }

  async end(): Promise<void> {
    await this.kill()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

export const platformProcess = Effect.acquireRelease(
  Effect.promise(async () => {
    const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`
    const platform = new PlatformProcess(secret, await freePort())
    await platform.start()
    return platform
  }),
  (platform) => Effect.promise(() => platform.end())
)
