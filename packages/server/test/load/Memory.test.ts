import { readFileSync } from "node:fs"
import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import { type Merchant, merchantWithConsumer } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { type ServerProcess, serverProcess, withDocs } from "../support/ServerProcess.js"

/** Returns a process's peak resident memory in MiB. */
const peakMebibytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const picture = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49]).toString("base64")

/** Builds a body with a base64 JPEG of 12,000,000 characters, the largest that the server accepts. */
const bodyOf = ({ userId }: Merchant): Buffer =>
  Buffer.from(
    JSON.stringify({
      user_id: userId,
      kind: "bvn",
      id: "22222222222",
      verification_consent: true,
      validation: { selfie: picture + "A".repeat(12_000_000 - picture.length) }
    })
  )

/** Submits a verification over a new connection. `chunked` sends it in chunks without a content length. */
const submit = ({ url }: ServerProcess, { key }: Merchant, once: string, body: Buffer, chunked: boolean) =>
  new Promise<{ readonly status: number; readonly body: Record<string, unknown> }>((resolve, reject) => {
    const length = chunked ? { "transfer-encoding": "chunked" } : { "content-length": String(body.length) }
    const authorization = `Bearer ${key}`
    const headers = { "content-type": "application/json", authorization, "idempotency-key": once, ...length }
    const sent = request(`${url}/v1/kyc/verifications`, { method: "POST", headers, agent: false }, (response) => {
      let text = ""
      response.on("data", (chunk) => {
        text += chunk
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    sent.on("error", reject)
    sent.end(body)
  })

/** Retries immediately on 503, since a busy server may not get memory for the body in time. */
const submitUntilTaken: typeof submit = async (...sending) => {
  for (;;) {
    const answer = await submit(...sending)
    if (answer.status !== 503) return answer
  }
}

const crowd = (server: ServerProcess, merchants: ReadonlyArray<Merchant>, atOnce: number, chunked: boolean) =>
  Promise.all(
    Array.from({ length: atOnce }, (_, index) => {
      const merchant = merchants[index % merchants.length]
      if (merchant === undefined) throw new Error("There is no merchant")
      return submitUntilTaken(server, merchant, `selfie-${atOnce}-${index}`, bodyOf(merchant), chunked)
    })
  )

const environmentOf = (databaseUrl: Redacted.Redacted) => ({
  ...withDocs,
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "warning"
})

describe("Selfies of 12,000,000 characters, 20 at once and then 40", () => {
  it.live(
    "are all verified, and the server stays under 1 GiB",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const server = yield* serverProcess(environmentOf(url))
        const peaks: Array<number> = []
        const merchants = [yield* merchantWithConsumer(server), yield* merchantWithConsumer(server)]
        yield* Effect.promise(async () => {
          for (const atOnce of [20, 40]) {
            const answers = await crowd(server, merchants, atOnce, atOnce > 20)
            for (const { body, status } of answers) {
              assert.deepStrictEqual([status, body.status], [201, "VERIFIED"], JSON.stringify(body))
              assert.deepInclude(body.checks, { selfie: "MATCH" })
            }
            peaks.push(peakMebibytes(server.pid))
          }
        })
        assert.isBelow(Math.max(...peaks), 1024, `MiB after each round: ${peaks}`)
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    400_000
  )
})
