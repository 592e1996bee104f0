import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { migratedDatabase } from "../../packages/embed/test/HostDatabase.ts"
import { root } from "./Toolchain.ts"

/** A server that the programs in the SDKs' READMEs call. */
export interface Sandbox {
  readonly url: string
  /** Creates a merchant and returns an API key for its TEST environment. */
  readonly newKey: () => Promise<string>
  readonly stop: () => Promise<void>
}

const main = path.join(root, "packages/server/dist/published/main.js")
const operatorToken = "op_for_the_languages_tests"

const post = async (url: string, body: unknown): Promise<Readonly<Record<string, string>>> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const answer: Readonly<Record<string, string>> = JSON.parse(await response.text())
  if (!response.ok) throw new Error(`${url} answered ${JSON.stringify(answer)}`)
  return answer
}

/** Starts the built server on a new database in the test run's PostgreSQL. */
export const startSandbox = async (): Promise<Sandbox> => {
  const directory = mkdtempSync(path.join(tmpdir(), "surety-sdks-"))
  const databaseUrl = await migratedDatabase()
  const child = spawn(process.execPath, [main, "serve"], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      DATABASE_URL: databaseUrl,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DOCS: "off",
      OPERATOR_TOKEN: operatorToken,
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      LOG_LEVEL: "warning"
    }
  })
  const stopped = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL")
    await stopped
    rmSync(directory, { recursive: true, force: true })
  }
  let printed = ""
  const url = await new Promise<string>((resolve, reject) => {
    const note = (chunk: Buffer): void => {
      printed += chunk
      const ready = /^surety listening on (\S+)$/m.exec(printed)?.[1]
      if (ready !== undefined) resolve(ready)
    }
    child.stdout.on("data", note)
    child.stderr.on("data", note)
    child.once("exit", () => reject(new Error(`the server ended\n${printed}`)))
  })
  const newKey = async (): Promise<string> => {
    const merchant = await post(`${url}/merchants`, {
      name: "Corner Shop",
      legalName: "Corner Shop Ltd",
      contactName: "Ada Obi",
      contactEmail: "ada@corner.example",
      country: "NG",
      businessType: "retail"
    })
    const key = await post(`${url}/merchants/${merchant.id}/api-keys`, { environment: "TEST" })
    return key.secret ?? ""
  }
  return { url, newKey, stop }
}
