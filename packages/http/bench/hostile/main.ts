// node packages/http/bench/hostile/main.ts [part of a body's name…] [--quick]
//
// Sends a server the most expensive bodies. Each is sent nine times in a row (49 times if small), then three times
// concurrently. With `--quick`, each is sent only three times in a row. Prints CPU time and memory as JSON. Each body
// gets a new server process, because memory is measured as peak resident size.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { Agent, request } from "node:http"
import path from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import type { Seed, Usage } from "../Measured.ts"
import { bodies, type HostileBody } from "./bodies.ts"

const goalMebibytes = 200
const port = 4713

const { positionals, values } = parseArgs({
  options: { quick: { type: "boolean" } },
  allowPositionals: true
})
const inARow = values.quick === true ? 3 : 9
/** Without `--quick`, small bodies are sent more often, so that runs of unoptimised code do not set the median. */
const smallInARow = values.quick === true ? 3 : 49
const largestSmall = 256 * 1024
/** Without a pause, small bodies would hit a rate limit. */
const smallPauseMillis = 40
const atOnce = 3

interface Line extends Pick<HostileBody, "name" | "goalMillis"> {
  /** CPU time per body in milliseconds: the median over the bodies sent in a row. */
  readonly millis: number
  readonly addedMebibytes: number
  readonly isMet: boolean
}

const usage = async (child: ChildProcess): Promise<Usage> => {
  child.send("usage")
  const [used] = await once(child, "message")
  return used
}

let sent = 0

const send = (target: Pick<HostileBody, "path">, { key }: Seed, body: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    sent += 1
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": body.length,
      "idempotency-key": `body-${sent}`
    }
    const agent = new Agent({ keepAlive: false })
    const sending = request(
      { port, agent, host: "127.0.0.1", path: target.path, method: "POST", headers },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      }
    )
    // If the server refuses a body midway, it closes the connection. An error after the response has no effect here.
    sending.on("error", reject)
    sending.end(body)
  })

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const sound = { path: "/v1/refunds" } as const

const measure = async (hostile: HostileBody): Promise<Line> => {
  const child = fork(path.join(import.meta.dirname, "..", "suretyServer.ts"), [String(port)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  const [seed] = (await once(child, "message")) as [Seed]
  const small = Buffer.from(JSON.stringify({ transaction_id: seed.transactionId, amount: 0.01 }))
  for (let time = 0; time < 200; time += 1) await send(sound, seed, small)
  const { peakBytes: before } = await usage(child)
  const body = hostile.make(seed)
  const millis: Array<number> = []
  const take = (status: number): void => {
    if (status !== hostile.status) throw new Error(`${hostile.name} was answered ${status}`)
  }
  const isSmall = body.length <= largestSmall
  for (let time = 0; time < (isSmall ? smallInARow : inARow); time += 1) {
    if (isSmall) await setTimeout(smallPauseMillis)
    take(await send(hostile, seed, body))
    const { system, user } = await usage(child)
    millis.push((system + user) / 1000)
  }
  for (const status of await Promise.all(Array.from({ length: atOnce }, () => send(hostile, seed, body)))) take(status)
  const { peakBytes: after } = await usage(child)
  child.disconnect()
  await once(child, "exit")
  const addedMebibytes = (after - before) / 1024 / 1024
  const { goalMillis, name } = hostile
  const of = median(millis)
  return { name, goalMillis, millis: of, addedMebibytes, isMet: of < goalMillis && addedMebibytes < goalMebibytes }
}

const lines: Array<Line> = []
for (const hostile of bodies) {
  if (positionals.length > 0 && !positionals.some((part) => hostile.name.includes(part))) continue
  console.error(`Measuring ${hostile.name}`)
  lines.push(await measure(hostile))
}

const json = {
  versions: {},
  settings: { inARow, smallInARow, atOnce },
  lines: lines.map(({ addedMebibytes, isMet, millis, name }) => ({
    body: name,
    cpuMillis: millis,
    addedMebibytes,
    goal: isMet ? "met" : "missed"
  })),
  goals: [],
  figures: {},
  rounds: []
}

console.log(JSON.stringify({ json }))
