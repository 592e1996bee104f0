import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { production } from "../support/Production.js"
import { type ServerProcess, serverProcess, withDocs } from "../support/ServerProcess.js"

const readers = 100

/** Number of requests per connection. Their responses would fill the connection's kernel buffers several times over. */
const requestsEach = 8

const residentMebibytes = ({ pid }: ServerProcess): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const socketsOf = ({ pid }: ServerProcess): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:")
    } catch {
      return false
    }
  }).length

const unreading = (server: ServerProcess, path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.pause()
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(requestsEach), () => resolve(socket))
    })
    socket.on("error", reject)
    socket.once("connect", () => socket.off("error", reject).on("error", () => {}))
  })

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Finds the path of the largest response available without a key: the documentation's script, uncompressed. */
const largestPath = async ({ url }: ServerProcess): Promise<string> => {
  const page = await (await fetch(`${url}/docs/reference`)).text()
  const script = /<script src="(assets\/reference-[^"]+)"/.exec(page)?.[1]
  return script === undefined ? "/docs/reference" : `/docs/${script}`
}

it.live.skipIf(isLeftOut(process.env, "SKIP_LINUX"))(
  "100 connections that ask for the largest documents and read nothing are cut within a minute, and cost little until then",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const server = yield* serverProcess(production(url, withDocs))
      yield* Effect.promise(async () => {
        const path = await largestPath(server)
        for (let round = 0; round < 20; round += 1) await (await fetch(`${server.url}${path}`)).arrayBuffer()
        await sleep(2_000)
        const [socketsBefore, before] = [socketsOf(server), residentMebibytes(server)]
        const sockets = await Promise.all(Array.from({ length: readers }, () => unreading(server, path)))
        await sleep(5_000)
        // A busy machine takes longer to accept the connections, so the test waits for up to a minute.
        const all = socketsBefore + readers * 0.9
        for (let waited = 0; socketsOf(server) < all && waited < 60_000; waited += 100) await sleep(100)
        const held = residentMebibytes(server)
        assert.isAtLeast(socketsOf(server), all)
        for (let waited = 0; socketsOf(server) > socketsBefore + 5 && waited < 60_000; waited += 500) await sleep(500)
        const after = residentMebibytes(server)
        assert.isAtMost(socketsOf(server), socketsBefore + 5)
        assert.isAtMost(held - before, 60)
        assert.isAtMost(after - before, 60)
        for (const socket of sockets) socket.destroy()
      })
    }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
  300_000
)
