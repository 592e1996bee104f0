import { createServer, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { giveUpUnread } from "@surety/http/node/UnreadAnswers"
import { afterEach, expect, it } from "vitest"

const patience = { patienceMillis: 1_000, lookMillis: 200 }
const large = Buffer.alloc(32 * 1024 * 1024, "x")

const opened: Array<Server | Socket> = []
afterEach(() => {
  for (const one of opened.splice(0)) "destroy" in one ? one.destroy() : one.close().closeAllConnections()
})

/**
 * Starts a server and sends it `requests` requests over one connection. By default, the response body is larger than
 * the kernel's buffers. `ends` receives the time at which the connection closes.
 */
const serve = async (thinkMillis = 0, body: Buffer = large, requests = 1) => {
  const ends: Array<number> = []
  const server = createServer((_, response) => {
    giveUpUnread(response, patience)
    setTimeout(() => response.end(body), thinkMillis)
  })
  server.on("connection", (socket) => socket.once("close", () => ends.push(performance.now())))
  opened.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
  client.on("error", () => {})
  opened.push(client)
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(requests))
  return { client, ends, startedAt: performance.now() }
}

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

it("cuts a reader that takes nothing, after the patience", async () => {
  const { ends, startedAt } = await serve()
  for (let waited = 0; ends.length === 0 && waited < 5_000; waited += 50) await sleep(50)
  expect(ends).toHaveLength(1)
  expect((ends[0] ?? 0) - startedAt).toBeGreaterThan(patience.patienceMillis * 0.9)
  expect((ends[0] ?? 0) - startedAt).toBeLessThan(4_000)
})

it("cuts one that takes the first of many answers, and no more", async () => {
  const { client, ends } = await serve(0, Buffer.alloc(8 * 1024 * 1024, "x"), 10)
  let received = 0
  client.on("data", (chunk: Buffer) => {
    received += chunk.length
    if (received > 12 * 1024 * 1024) client.pause()
  })
  for (let waited = 0; ends.length === 0 && waited < 5_000; waited += 50) await sleep(50)
  expect(ends).toHaveLength(1)
})

it("lets a slow reader finish, however long it takes", async () => {
  const { client, ends } = await serve()
  const startedAt = performance.now()
  let received = 0
  await new Promise<void>((resolve) => {
    client.once("close", () => resolve())
    client.on("data", (chunk: Buffer) => {
      received += chunk.length
      if (received >= large.length) return resolve()
      if (performance.now() - startedAt > 3 * patience.patienceMillis) return
      client.pause()
      setTimeout(() => client.resume(), 20)
    })
  })
  expect(performance.now() - startedAt).toBeGreaterThan(3 * patience.patienceMillis)
  expect(received).toBeGreaterThanOrEqual(large.length)
  expect(ends).toHaveLength(0)
})

it("leaves alone who waits for an answer that takes longer to make than the patience", async () => {
  const { client, ends } = await serve(1_500, Buffer.from("ok"))
  let text = ""
  client.on("data", (chunk) => (text += chunk))
  await sleep(2_000)
  expect(text).toContain("ok")
  expect(ends).toHaveLength(0)
})
