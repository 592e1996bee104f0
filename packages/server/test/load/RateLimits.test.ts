import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, type Redacted } from "effect"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { application, production } from "../support/Production.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const patience = 300_000

const perSecond = 40
const burst = 2 * perSecond

/** Maximum number of unused tokens that one process holds: a twentieth of the burst. */
const heldShare = burst / 20

const limited = (url: Redacted.Redacted, replacing: Readonly<Record<string, string>> = {}) =>
  production(url, { RATE_LIMIT_OTHER: String(perSecond), RATE_LIMIT_PROVISIONING: "0", ...replacing })

const post = (server: ServerProcess, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.operatorToken}`,
      "content-type": "application/json",
      ...headers
    },
    body: JSON.stringify(body)
  })

const newKey = async (server: ServerProcess): Promise<string> => {
  const merchant = (await (await post(server, "/merchants", application)).json()) as { readonly id: string }
  const issued = await post(server, `/merchants/${merchant.id}/api-keys`, { environment: "TEST" })
  return ((await issued.json()) as { readonly secret: string }).secret
}

/** Sends requests from concurrent callers while `goesOn` returns true, and counts the responses by status. */
const ask = async (server: ServerProcess, key: string, callers: number, goesOn: (counts: Counts) => boolean) => {
  const counts = new Map<number, number>()
  const caller = async () => {
    while (goesOn(counts)) {
      const answer = await fetch(`${server.url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } })
      await answer.arrayBuffer()
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return counts
}

type Counts = ReadonlyMap<number, number>

const flood = (server: ServerProcess, key: string, untilMillis: number) =>
  ask(server, key, 8, (counts) => Date.now() < untilMillis || !counts.has(429))

const askCalmly = (server: ServerProcess, key: string) =>
  ask(
    server,
    key,
    1,
    (counts) => (counts.get(200) ?? 0) < burst / 2 && [...counts.keys()].every((status) => status === 200)
  )

describe("Two servers on one database", () => {
  it.live(
    "let no more through together than the limit, and refuse no other merchant for it",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const settings = limited(url)
        const servers = yield* Effect.all([serverProcess(settings), serverProcess(settings)], { concurrency: 2 })
        const [first, second] = servers
        const [hot, calm] = yield* Effect.promise(async () => [await newKey(first), await newKey(first)] as const)
        const startedAt = Date.now()
        const [[one, other, elapsedSeconds], calmly] = yield* Effect.promise(() => {
          const untilMillis = startedAt + 3_000
          const floods = Promise.all([flood(first, hot, untilMillis), flood(second, hot, untilMillis)])
          const timed = floods.then((counts) => [...counts, (Date.now() - startedAt) / 1000] as const)
          return Promise.all([timed, askCalmly(second, calm)])
        })
        const through = (one.get(200) ?? 0) + (other.get(200) ?? 0)
        assert.isAtMost(through, burst + perSecond * elapsedSeconds)
        assert.isAtLeast(through, burst + perSecond * 3 * 0.5 - servers.length * heldShare)
        assert.sameMembers([...new Set([...one.keys(), ...other.keys()])], [200, 429])
        assert.deepStrictEqual([...calmly.keys()], [200])
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )

  it.live(
    "limit who is not known by address, which a proxy tells only if it is trusted",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const settings = limited(url, { RATE_LIMIT_PROVISIONING: "5" })
        const [direct, behind] = yield* Effect.all(
          [serverProcess(settings), serverProcess({ ...settings, TRUSTED_PROXIES: "127.0.0.1" })],
          { concurrency: 2 }
        )
        const statuses = (server: ServerProcess, forwarded: ReadonlyArray<string>) =>
          Effect.promise(async () => {
            const answered: Array<number> = []
            for (const address of forwarded) {
              answered.push((await post(server, "/merchants", {}, { "x-forwarded-for": address })).status)
            }
            return answered
          })
        const spoofed = Array.from({ length: 6 }, (_, index) => `203.0.113.${index}`)
        assert.deepStrictEqual(yield* statuses(direct, spoofed), [400, 400, 400, 400, 400, 429])
        assert.deepStrictEqual(yield* statuses(behind, spoofed), [400, 400, 400, 400, 400, 400])
        const network = Array.from({ length: 6 }, (_, index) => `2001:db8:0:1::${index}`)
        assert.deepStrictEqual(yield* statuses(behind, network), [400, 400, 400, 400, 400, 429])
        const appended = spoofed.map((address) => `${address}, 198.51.100.9`)
        assert.deepStrictEqual(yield* statuses(behind, appended), [400, 400, 400, 400, 400, 429])
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )
})
