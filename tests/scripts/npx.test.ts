import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const npx = fileURLToPath(new URL("../../scripts/npx.ts", import.meta.url))

/** A stand-in for the server. Ends after a minute if it gets no SIGTERM. */
const server = `
import { endWithNpx } from ${JSON.stringify(npx)}
endWithNpx()
process.on("SIGTERM", () => { console.log("SIGTERM"); process.exit() })
setTimeout(() => {}, 60_000)
console.log("ready")`

/** Builds a program that has this process title and starts the server through a shell. */
const startedBy = (title: string) => `
import { spawn } from "node:child_process"
process.title = ${JSON.stringify(title)}
const shell = 'trap : TERM; "$0" --input-type=module-typescript -e "$1"; exit 0'
spawn("/bin/sh", ["-c", shell, process.execPath, ${JSON.stringify(server)}], { stdio: "inherit" })
setTimeout(() => {}, 60_000)`

/**
 * Runs the program that `startedBy` builds, and kills it after the server's first output. Waits up to `patienceMillis`
 * for the server to end, then kills it if it is still running. Returns the server's output.
 */
const startAndKill = async (title: string, patienceMillis: number): Promise<string> => {
  const starter = spawn(process.execPath, ["--input-type=module", "-e", startedBy(title)], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true
  })
  let said = ""
  starter.stdout.on("data", (bytes) => {
    said += bytes
  })
  await once(starter.stdout, "data")
  starter.kill("SIGKILL")
  const closed = once(starter.stdout, "close")
  await Promise.race([closed, new Promise((resume) => setTimeout(resume, patienceMillis))])
  if (starter.pid !== undefined && !starter.stdout.closed) process.kill(-starter.pid, "SIGKILL")
  return said
}

it("on Linux the server is asked to end when the npx that started it was killed", async () => {
  expect(await startAndKill("npm exec pnpm start", 60_000)).toBe(
    process.platform === "linux" ? "ready\nSIGTERM\n" : "ready\n"
  )
})

it("the end of any other starter leaves the server running", async () => {
  expect(await startAndKill("bash", 3_000)).toBe("ready\n")
})
