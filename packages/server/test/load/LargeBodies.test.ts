import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import { type Merchant, merchantWithConsumer } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const mebibyte = 1024 * 1024
const piece = Buffer.alloc(64 * 1024, " ")

interface Attempt {
  readonly headers: Readonly<Record<string, string>>
  /** Number of bytes to send unless the server responds earlier. */
  readonly bytes: number
}

/** Sends up to `bytes` spaces until a response arrives. Returns the response and the number of bytes sent before it. */
const attempt = ({ url }: ServerProcess, path: string, { key }: Merchant, { bytes, headers }: Attempt) =>
  Effect.promise(
    () =>
      new Promise<{ readonly status: number; readonly code: string; readonly taken: number }>((resolve, reject) => {
        let taken = 0
        const sent = request(`${url}${path}`, {
          method: "POST",
          agent: false,
          headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers }
        })
        const write = () => {
          while (taken < bytes && !sent.destroyed) {
            taken += piece.length
            if (sent.write(piece)) continue
            sent.once("drain", write)
            return
          }
        }
        sent.on("response", (response) => {
          const takenByThen = taken
          let text = ""
          response.on("data", (chunk) => {
            text += chunk
          })
          response.on("end", () => {
            sent.destroy()
            resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).code, taken: takenByThen })
          })
        })
        sent.on("error", reject)
        sent.flushHeaders()
        if (headers.expect === undefined) write()
        else sent.on("continue", write)
      })
  )

const environmentOf = (databaseUrl: Redacted.Redacted) => ({
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "warning"
})

describe("A body that is too large", () => {
  it.live("is refused while it streams in, unread if its length is declared", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const server = yield* serverProcess(environmentOf(url))
      const merchant = yield* merchantWithConsumer(server)
      const kyc = "/v1/kyc/verifications"
      const refused = { status: 413, code: "body_too_large" }
      const chunked = { "idempotency-key": "chunked", "transfer-encoding": "chunked" }

      const largest = yield* attempt(server, kyc, merchant, { headers: chunked, bytes: 200 * mebibyte })
      assert.deepInclude(largest, refused)
      assert.isAtLeast(largest.taken, 16 * mebibyte)
      assert.isBelow(largest.taken, 40 * mebibyte, "what is on its way counts too")

      const elsewhere = yield* attempt(server, "/v1/refunds", merchant, { headers: chunked, bytes: 200 * mebibyte })
      assert.deepInclude(elsewhere, refused)
      assert.isBelow(elsewhere.taken, 20 * mebibyte, "what is on its way counts too")

      const length = { "idempotency-key": "told", "content-length": String(16 * mebibyte + 1) }
      for (const headers of [length, { ...length, expect: "100-continue" }]) {
        assert.deepEqual(yield* attempt(server, kyc, merchant, { headers, bytes: 0 }), { ...refused, taken: 0 })
      }
    }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped)
  )
})
