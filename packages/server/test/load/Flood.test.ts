import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { production } from "../support/Production.js"
import { serverProcess } from "../support/ServerProcess.js"

const atOnce = 40
const connections = 10 * atOnce

/** A request with an incomplete body: it is in flight until the rest arrives. */
const half = (token: string) =>
  `POST /merchants HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
  "Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{ "

const whole = "GET /v1/whoami HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  return socket
}

const statusOf = async (socket: Socket): Promise<string> => String((await once(socket, "data"))[0]).slice(9, 12)

it.live(
  "Ten times as many requests as a server takes: those under way are answered, the others at once with 503, and it stays well",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const settings = production(url, { REQUESTS_AT_ONCE: String(atOnce), RATE_LIMIT_PROVISIONING: "0" })
      const server = yield* serverProcess(settings)
      const port = Number(new URL(server.url).port)
      yield* Effect.promise(async () => {
        const held = await Promise.all(Array.from({ length: atOnce }, () => opened(port)))
        for (const socket of held) socket.write(half(server.operatorToken))
        // The server has all of them once it rejects the next one.
        while ((await fetch(`${server.url}/v1/whoami`)).status !== 503);

        const flood = await Promise.all(Array.from({ length: connections }, () => opened(port)))
        const answers = flood.map(statusOf)
        for (const socket of flood) socket.write(whole)
        assert.deepStrictEqual(new Set(await Promise.all(answers)), new Set(["503"]))

        const refused = await fetch(`${server.url}/v1/whoami`)
        assert.strictEqual(refused.headers.get("retry-after"), "1")
        assert.deepInclude(await refused.json(), { code: "service_unavailable", status: 503 })
        for (const path of ["/healthz", "/readyz"]) assert.strictEqual((await fetch(server.url + path)).status, 200)
        const metrics = await fetch(`${server.url}/metrics`, {
          headers: { authorization: `Bearer ${server.operatorToken}` }
        })
        assert.match(await metrics.text(), /http_requests_turned_away_total\S* 4\d\d/)

        const ended = held.map(statusOf)
        for (const socket of held) socket.write("}")
        assert.deepStrictEqual(new Set(await Promise.all(ended)), new Set(["400"]))
        assert.strictEqual((await fetch(`${server.url}/v1/whoami`)).status, 401)
        for (const socket of [...held, ...flood]) socket.destroy()
      })
      assert.lengthOf(`${server.stdout()}${server.stderr()}`.match(/were turned away/g) ?? [], 1)
    }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
  120_000
)
