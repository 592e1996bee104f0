import { BodyRoomSettings, defaultBodyRoom } from "@surety/http/form/BodyRoom"
import { Duration, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { type Interface, makeConsumer, makeInterface, makeMerchant } from "../Interface.js"

const api = makeInterface()

const headers = { "content-type": "application/json", "idempotency-key": "large" }

const shop = async (it: Interface = api) => {
  const { key } = await makeMerchant(it)
  return { key, ...(await makeConsumer(it, key)) }
}

const textOf = (userId: string, selfie: string): string =>
  JSON.stringify({
    user_id: userId,
    kind: "bvn",
    id: "22222222222",
    verification_consent: true,
    validation: { selfie }
  })

const submit = (key: string, raw: NonNullable<RequestInit["body"]>, more: Record<string, string> = {}, it = api) =>
  it.send("POST", "/v1/kyc/verifications", { key, raw, headers: { ...headers, ...more } })

const streamed = (piece: Uint8Array, count: number) => {
  const sent = { pieces: 0 }
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent.pieces === count) return controller.close()
      sent.pieces += 1
      controller.enqueue(piece)
    }
  })
  return { body, sent }
}

const mebibyte = 1024 * 1024
const spaces = new Uint8Array(64 * 1024).fill(0x20)

describe("a body with a selfie", () => {
  it("may have a selfie of 12,000,000 characters, of any script", async () => {
    const { key, userId } = await shop()
    const picture = `${Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49]).toString("base64")}`
    const answer = await submit(key, textOf(userId, picture + "A".repeat(12_000_000 - picture.length)))
    expect(answer.body).toMatchObject({ status: "VERIFIED", checks: { selfie: "MATCH" } })
    const accents = await submit(key, textOf(userId, "é".repeat(8_000_000)), { "idempotency-key": "accents" })
    expect(accents.body).toMatchObject({ status: "VERIFIED", checks: { selfie: "NOT_CHECKED" } })
  })

  it("may have 16 MiB, and no more, whether or not its length is declared", async () => {
    const { key, userId } = await shop()
    const text = textOf(userId, "")
    const padded = (bytes: number) => text + " ".repeat(bytes - text.length)
    const largest = await submit(key, padded(16 * mebibyte))
    expect(largest.status).toBe(201)
    const larger = padded(16 * mebibyte + 1)
    for (const more of [{}, { "content-length": String(larger.length) }, { "content-length": "10" }]) {
      const answer = await submit(key, larger, more)
      expect(answer.body).toMatchObject({ status: 413, code: "body_too_large", detail: "Send at most 16 MiB." })
      expect(answer.headers.get("connection")).toBe("close")
    }
  })

  it("is refused while it streams in, not after", async () => {
    const { key } = await shop()
    const { body, sent } = streamed(spaces, 10_000)
    expect((await submit(key, body)).body.code).toBe("body_too_large")
    expect(sent.pieces).toBeLessThan(16 * 16 + 10)
  })

  it("is refused as soon as it is not UTF-8", async () => {
    const { key } = await shop()
    const { body, sent } = streamed(new Uint8Array(64 * 1024).fill(0xff), 200)
    expect((await submit(key, body)).body).toMatchObject({
      code: "invalid_json",
      detail: "The body is not valid UTF-8."
    })
    expect(sent.pieces).toBeLessThan(10)
  })

  it("is refused unread if its length is declared, and without a key", async () => {
    const { key } = await shop()
    const told = streamed(spaces, 1000)
    const answer = await submit(key, told.body, { "content-length": String(17 * mebibyte) })
    expect(answer.body.code).toBe("body_too_large")
    const keyless = streamed(spaces, 1000)
    const raw = { raw: keyless.body, headers }
    expect((await api.send("POST", "/v1/kyc/verifications", raw)).body.code).toBe("missing_api_key")
    expect(Math.max(told.sent.pieces, keyless.sent.pieces)).toBeLessThan(4)
  })

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a field twice", '{"kind":"bvn","kind":"nin"}']
  ])("is refused when it is %s", async (_, raw) => {
    const { key } = await shop()
    expect((await submit(key, raw)).body).toMatchObject({ status: 400, code: "invalid_json" })
  })

  it("is refused without a body, or of another type", async () => {
    const { key } = await shop()
    const none = await api.send("POST", "/v1/kyc/verifications", { key, headers: { "idempotency-key": "k" } })
    expect(none.body).toMatchObject({ status: 400, code: "invalid_json", detail: "This route needs a JSON body." })
    for (const more of [{ "content-type": "text/plain" }, { "content-type": "" }, { "content-encoding": "gzip" }]) {
      const raw = new TextEncoder().encode("{}")
      expect((await submit(key, raw, more)).body).toMatchObject({ status: 415, code: "unsupported_media_type" })
    }
  })

  it("is too large for every other route, also of KYC", async () => {
    const { key } = await shop()
    const raw = textOf("x", "y".repeat(300_000))
    for (const path of ["/v1/refunds", "/v1/kyc/verifications/kyc_x/code", "/v1/test-helpers/consumers"]) {
      const answer = await api.send("POST", path, { key, raw, headers })
      expect(answer.body).toMatchObject({ status: 413, code: "body_too_large", detail: "Send at most 256 KiB." })
    }
  })
})

describe("bodies that are slow, or many", () => {
  const mib17 = 17 * mebibyte
  const hurried = Layer.succeed(BodyRoomSettings, {
    ...defaultBodyRoom,
    bytes: 2 * mib17,
    bytesOfOne: mib17,
    patience: Duration.millis(150),
    readWithin: Duration.millis(600)
  })

  /** Streams one piece, then stalls without ending. */
  const silent = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(spaces)
    })

  it("are refused when they take too long to arrive", async () => {
    const slow = makeInterface({}, hurried)
    const { key } = await shop(slow)
    const answer = await submit(key, silent(), {}, slow)
    expect(answer.body).toMatchObject({ status: 408, code: "request_timeout" })
    expect(answer.headers.get("connection")).toBe("close")
  })

  it("wait for their merchant's share, in vain if it is not given back; another merchant is let in", async () => {
    const crowded = makeInterface({}, hurried)
    const { key, userId } = await shop(crowded)
    const other = await shop(crowded)
    const first = submit(key, silent(), {}, crowded)
    const second = await submit(key, textOf(userId, "x".repeat(300_000)), {}, crowded)
    expect(second.body).toMatchObject({ status: 503, code: "service_unavailable" })
    expect(second.headers.get("retry-after")).toBe("5")
    const small = await submit(key, textOf(userId, ""), { "content-length": "200" }, crowded)
    expect(small.status, "a small body needs no room").toBe(201)
    const others = await submit(other.key, textOf(other.userId, "x".repeat(300_000)), {}, crowded)
    expect(others.status).toBe(201)
    expect((await first).status).toBe(408)
    const again = await submit(key, textOf(userId, "x".repeat(300_000)), { "idempotency-key": "again" }, crowded)
    expect(again.status, "the room was given back").toBe(201)
  })
})
