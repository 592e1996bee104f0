import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { text } from "node:stream/consumers"

const runMillis = 90_000

/**
 * Runs the script in a page of headless Chromium with a separate profile. Returns the JSON that the page posts to
 * `/report`. Rejects if Chromium cannot start, ends first or reports nothing within `runMillis`.
 */
export const runInChromium = async (executable: string, script: string): Promise<unknown> => {
  const profile = await mkdtemp(path.join(tmpdir(), "surety-chromium-"))
  const reported = Promise.withResolvers<unknown>()
  const server = createServer((request, response) => void serve(script, reported, request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  const child = start(executable, profile, `http://127.0.0.1:${port}/`)
  child.once("error", reported.reject)
  let said = ""
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000)
  })
  const ended = new Promise<void>((resolve) =>
    child.once("close", (code) => {
      reported.reject(new Error(`Chromium ended with ${code} before it reported: ${said}`))
      resolve()
    })
  )
  const tooLong = setTimeout(() => reported.reject(new Error(`No report in ${runMillis} ms: ${said}`)), runMillis)
  return reported.promise.finally(async () => {
    clearTimeout(tooLong)
    kill(child)
    await ended
    server.closeAllConnections()
    server.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
}

const start = (executable: string, profile: string, url: string): ChildProcess => {
  const quiet = ["--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run"]
  const offline = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
  const flags = ["--headless", "--no-sandbox", ...quiet, ...offline, `--user-data-dir=${profile}`]
  // Starts a separate process group, so that `kill` ends the browser's helper processes too.
  return spawn(executable, [...flags, url], { detached: true, stdio: ["ignore", "ignore", "pipe"] })
}

const kill = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // The browser has already ended.
  }
}

const serve = async (
  script: string,
  reported: PromiseWithResolvers<unknown>,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  switch (`${request.method} ${request.url}`) {
    case "GET /":
      response.setHeader("content-type", "text/html")
      return void response.end('<!doctype html><meta charset="utf-8"><script type="module" src="/suite.js"></script>')
    case "GET /suite.js":
      response.setHeader("content-type", "text/javascript")
      return void response.end(script)
    case "POST /report":
      reported.resolve(JSON.parse(await text(request)))
      return void response.end()
    default:
      response.statusCode = 404
      return void response.end()
  }
}
