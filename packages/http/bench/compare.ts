// node packages/http/bench/compare.ts [rounds] [seconds]
//
// Compares the API's routes `whoami` and `refunds` with those of a plain Fastify server, both with in-memory state.
// Measures requests per second and CPU time per request. The servers' rounds are interleaved, so that disturbances
// affect both servers alike. Build first.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import autocannon from "autocannon"
import type { Seed, Usage } from "./Measured.ts"

const [rounds = 5, seconds = 3] = process.argv.slice(2).map(Number)
const connections = 64
const warmUpSeconds = 3

interface Round {
  readonly perSecond: number
  readonly userMicros: number
  readonly systemMicros: number
}

interface Contender {
  readonly name: string
  readonly port: number
  readonly child: ChildProcess
  readonly seed: Seed
}

const start = async (name: string, port: number): Promise<Contender> => {
  const child = fork(path.join(import.meta.dirname, `${name}Server.ts`), [String(port)])
  const [seed] = await once(child, "message")
  return { name, port, child, seed }
}

const usage = async ({ child }: Contender): Promise<Usage> => {
  child.send("usage")
  const [used] = await once(child, "message")
  return used
}

let refunds = 0

const requestsOf = (route: string, { key, transactionId }: Seed): Array<autocannon.Request> => {
  const authorization = `Bearer ${key}`
  if (route === "whoami") return [{ method: "GET", path: "/v1/whoami", headers: { authorization } }]
  return [
    {
      method: "POST",
      path: "/v1/refunds",
      setupRequest: (request) => {
        refunds += 1
        const headers = { authorization, "content-type": "application/json", "idempotency-key": `key-${refunds}` }
        const body = {
          transaction_id: transactionId,
          amount: 0.01,
          reason: "bench",
          merchant_reference: `m-${refunds}`
        }
        return { ...request, headers, body: JSON.stringify(body) }
      }
    }
  ]
}

const load = async (route: string, contender: Contender, duration: number): Promise<Round> => {
  await usage(contender)
  const { non2xx, requests } = await autocannon({
    url: `http://127.0.0.1:${contender.port}`,
    connections,
    duration,
    requests: requestsOf(route, contender.seed)
  })
  if (non2xx > 0) throw new Error(`${contender.name} refused ${non2xx} requests of ${route}`)
  const { system, user } = await usage(contender)
  return {
    perSecond: requests.average,
    userMicros: user / requests.total,
    systemMicros: system / requests.total
  }
}

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const contenders = [await start("fastify", 4711), await start("surety", 4712)]

for (const route of ["whoami", "refunds"]) {
  const results = new Map<string, Array<Round>>(contenders.map(({ name }) => [name, []]))
  for (const contender of contenders) await load(route, contender, warmUpSeconds)
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) results.get(contender.name)?.push(await load(route, contender, seconds))
  }
  for (const [name, measured] of results) {
    const of = (key: keyof Round) => median(measured.map((round) => round[key]))
    console.log(
      `${route.padEnd(8)} ${name.padEnd(8)} ${Math.round(of("perSecond"))} requests/s, ` +
        `${of("userMicros").toFixed(1)} + ${of("systemMicros").toFixed(1)} µs of user and system time each`
    )
  }
}

for (const { child } of contenders) child.disconnect()
