import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"

export interface Worker {
  readonly url: string
  readonly stop: () => Promise<void>
}

const startMillis = 90_000

const configuration = (compatibilityDate: string, variables: Readonly<Record<string, string>>): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["local"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "${compatibilityDate}",
  bindings = [${Object.entries(variables).map(([name, text]) => `(name = "${name}", text = "${text}")`)}]
);
`

/**
 * Runs a script on workerd, the runtime of Cloudflare's workers, on a free port reachable only from this machine. The
 * worker has the features of `compatibilityDate`. Newer dates include some of Node's built-ins. The worker can connect
 * only to this machine.
 */
export const startWorker = async (
  script: string,
  compatibilityDate: string,
  variables: Readonly<Record<string, string>> = {}
): Promise<Worker> => {
  const directory = await mkdtemp(path.join(tmpdir(), "surety-worker-"))
  await writeFile(path.join(directory, "worker.mjs"), script)
  await writeFile(path.join(directory, "config.capnp"), configuration(compatibilityDate, variables))
  const { default: executable }: { readonly default: string } = createRequire(import.meta.url)("workerd")
  const child = spawn(executable, ["serve", "--control-fd=3", path.join(directory, "config.capnp")], {
    stdio: ["ignore", "ignore", "pipe", "pipe"]
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
    await rm(directory, { recursive: true, force: true })
  }
  const port = await portOf(child).catch(async (failure: Error) => {
    await stop()
    throw failure
  })
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** Reads the port from workerd's control channel. */
const portOf = (child: ReturnType<typeof spawn>): Promise<number> =>
  new Promise((resolve, reject) => {
    let said = ""
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      const port = /"port":\s*(\d+)/u.exec(chunk.toString())?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`workerd ended with ${code}: ${said}`)))
    setTimeout(() => reject(new Error(`workerd did not start in ${startMillis} ms: ${said}`)), startMillis).unref()
  })
