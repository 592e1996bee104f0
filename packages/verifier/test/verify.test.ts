import { describe, expect, it, vi } from "vitest"
import { verifySignatureWith } from "../src/signature/verifySignature.js"
import { samplePayloads, sign } from "../src/testing.js"
import { verify, verifyWith } from "../src/verify.js"
import { delivery, now, otherSecret, secondsFromNow, secret, withHeaders } from "./deliveries.js"
import { engines } from "./engines.js"

const bytes = (text: string) => new TextEncoder().encode(text)

describe.each(engines)("verify with %s", (_, hmac) => {
  const check = (input: { body: unknown; headers: object; secrets?: string | ReadonlyArray<string>; now?: Date }) =>
    // JavaScript callers may pass values that the types forbid, so these tests do too.
    verifyWith(hmac, { secrets: secret, now, ...input } as Parameters<typeof verify>[0])

  it("gives a genuine delivery's event with all that its headers and its body tell", async () => {
    const { body, headers } = await delivery()
    expect(await check({ body: bytes(body), headers })).toEqual({
      ok: true,
      event: {
        known: true,
        id: "event_01jd4c5p8vf3vs6y2k7m9q4hzn",
        topic: "refund.completed",
        environment: "TEST",
        sequence: headers["X-Service-Sequence"],
        attempt: 1,
        test: false,
        timestamp: now,
        payload: samplePayloads["refund.completed"]
      }
    })
  })

  it("tells a test event from what happened", async () => {
    const { body, headers } = await delivery()
    const tested = { body, headers: { ...headers, "X-Service-Test": "true" } }
    expect(await check(tested)).toMatchObject({ ok: true, event: { test: true } })
    const other = { body, headers: { ...headers, "X-Service-Test": "yes" } }
    expect(await check(other)).toMatchObject({ ok: true, event: { test: false } })
  })

  it.each([
    ["lists", "[".repeat(100_000) + "]".repeat(100_000)],
    ["objects", `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`],
    ["items", `{"a":[${"0,".repeat(200_000)}0]}`]
  ])("parses nothing of a body of too many %s, although it is signed", async (_, payload) => {
    const { body, headers } = await sign({ secrets: secret, topic: "refund.completed", payload, timestamp: now })
    const parse = vi.spyOn(JSON, "parse")
    expect(await check({ body, headers })).toMatchObject({ ok: false, reason: "invalid_json" })
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })

  it("takes brackets in a string for text", async () => {
    const payload = { ...samplePayloads["refund.completed"], reason: '[{"\\"'.repeat(50_000) }
    const { body, headers } = await sign({
      secrets: secret,
      topic: "refund.completed",
      payload: JSON.stringify(payload),
      timestamp: now
    })
    expect(await check({ body, headers })).toMatchObject({ ok: true, event: { payload } })
  })

  it.each(Object.entries(samplePayloads))("knows the topic %s", async (topic, payload) => {
    const { body, headers } = await sign({ secrets: secret, topic, payload: JSON.stringify(payload), timestamp: now })
    expect(await check({ body, headers })).toMatchObject({ ok: true, event: { known: true, topic, payload } })
  })

  it("passes an event of a topic it does not know yet, as unknown", async () => {
    const { body, headers } = await sign({ secrets: secret, topic: "refund.reversed", payload: "[1]", timestamp: now })
    expect(await check({ body, headers })).toMatchObject({
      ok: true,
      event: { known: false, topic: "refund.reversed", payload: [1] }
    })
  })

  it("takes the body as bytes, as an ArrayBuffer, as a part of a larger buffer, as a Buffer and as text", async () => {
    const { body, headers } = await delivery()
    const padded = bytes(`xx${body}yy`)
    const bodies = [
      bytes(body),
      bytes(body).buffer,
      padded.subarray(2, padded.length - 2),
      new DataView(padded.buffer, 2, padded.length - 4),
      Buffer.from(body),
      body
    ]
    for (const each of bodies) expect((await check({ body: each, headers })).ok).toBe(true)
  })

  it("hashes bytes that are not UTF-8 as they are, and then says that they are not JSON", async () => {
    const raw = bytes('{"refundId":"?"}')
    raw[raw.indexOf(0x3f)] = 0xff
    const key = hmac.key(secret, () => undefined) ?? expect.fail("the key was used before")
    const signature = await key(`event_1.${now.getTime() / 1000}.`, raw, "base64")
    const headers = {
      "webhook-id": "event_1",
      "webhook-timestamp": String(now.getTime() / 1000),
      "webhook-signature": `v1,${signature}`,
      "x-service-event": "refund.completed"
    }
    expect(await check({ body: raw, headers })).toMatchObject({ ok: false, reason: "invalid_json" })
    expect(await verifySignatureWith(hmac, { body: raw, headers, secrets: secret, now })).toMatchObject({ ok: true })
  })

  it.each([
    ["a parsed object", { refundId: "refund_1" }],
    ["a parsed array", [1, 2]],
    ["a number", 7],
    ["nothing", undefined],
    ["null", null],
    ["a Buffer that went through JSON", JSON.parse(JSON.stringify(Buffer.from("{}")))],
    ["text that something has read to its end", ""],
    ["bytes that something has read to their end", new Uint8Array()]
  ])("refuses %s as not raw and tells how to get the raw body", async (_what, body) => {
    const { headers } = await delivery()
    const result = await check({ body, headers })
    expect(result).toMatchObject({ ok: false, reason: "body_not_raw" })
    for (const advice of ["Pass the raw body", "Express", "Fastify", "Hono", "Next.js", "NestJS", "AWS Lambda"]) {
      expect(result).toHaveProperty("message", expect.stringContaining(advice))
    }
  })

  it.each([
    ["missing", undefined],
    ["missing", null],
    ["empty: other code has already read it", ""],
    ["a parsed object", {}]
  ])("says that the body is %s", async (what, body) => {
    const { headers } = await delivery()
    expect(await check({ body, headers })).toHaveProperty("message", expect.stringContaining(`The body is ${what}`))
  })

  it("refuses a body that was parsed and written again, and says so", async () => {
    const { body, headers } = await sign({
      secrets: secret,
      topic: "refund.completed",
      payload: '{ "refundId": "refund_1", "amount": 2500.50 }',
      timestamp: now
    })
    const result = await check({ body: JSON.stringify(JSON.parse(body)), headers })
    expect(result).toMatchObject({
      reason: "signature_mismatch",
      message: expect.stringContaining("parsed and written again")
    })
  })

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature", "X-Service-Event"])(
    "refuses a delivery without %s, though X-Service-Signature is right",
    async (name) => {
      const { body, headers } = await delivery()
      for (const value of [undefined, ""]) {
        const result = await check({ body, headers: withHeaders(headers, { [name]: value }) })
        expect(result).toMatchObject({ ok: false, reason: "missing_headers" })
      }
    }
  )

  it("does not throw when there are no headers at all", async () => {
    for (const headers of [undefined, null, "webhook-id", 7, [], new Map()]) {
      const input = { body: "{}", headers, secrets: secret } as unknown as Parameters<typeof verify>[0]
      expect(await verifyWith(hmac, input)).toMatchObject({ ok: false, reason: "missing_headers" })
    }
  })

  it.each(["", "no secret at all", "sk_live_abcdefghijklmnopqrstuvwxyz"])(
    "refuses the secret %j and does not repeat it",
    async (wrong) => {
      const { body, headers } = await delivery()
      for (const secrets of [wrong, [secret, wrong]]) {
        const result = await check({ body, headers, secrets })
        expect(result).toMatchObject({ ok: false, reason: "invalid_secret" })
        if (wrong !== "") expect(JSON.stringify(result)).not.toContain(wrong)
      }
    }
  )

  it.each([
    ["white space before it", ` ${secret}`],
    ["white space after it", `${secret}\n`],
    ["its padding lost", secret.slice(0, -1)],
    ["the alphabet of URLs", `whsec_${"-_".repeat(21)}A=`],
    ["too few bytes", `whsec_${btoa("a".repeat(23))}`],
    ["no secret in the list", []],
    ["undefined, as an unset variable gives", undefined],
    ["undefined in the list", [undefined]]
  ])("refuses a secret with %s", async (_what, secrets) => {
    const { body, headers } = await delivery()
    const input = { body, headers, secrets, now } as Parameters<typeof verify>[0]
    expect(await verifyWith(hmac, input)).toMatchObject({ ok: false, reason: "invalid_secret" })
  })

  it.each([
    ["secret 2 of 2 does not have the form whsec_", [secret, "other"]],
    ["secret 1 of 2 is missing: check that its setting is set", [undefined, secret]],
    ["The list has no webhook secret", []]
  ])("fails with: %s", async (what, secrets) => {
    const { body, headers } = await delivery()
    const input = { body, headers, secrets, now } as Parameters<typeof verify>[0]
    expect(await verifyWith(hmac, input)).toHaveProperty("message", expect.stringContaining(what))
  })

  it("accepts a delivery that any of several secrets signed, whichever place it has", async () => {
    const { body, headers } = await delivery()
    expect((await check({ body, headers, secrets: [secret, otherSecret] })).ok).toBe(true)
    expect((await check({ body, headers, secrets: [otherSecret, secret] })).ok).toBe(true)
    expect(await check({ body, headers, secrets: [otherSecret] })).toMatchObject({ reason: "signature_mismatch" })
  })

  it("accepts a delivery of which any one signature is right, whichever place it has", async () => {
    const { body, headers } = await delivery({ secrets: [otherSecret, secret] })
    expect((await check({ body, headers, secrets: secret })).ok).toBe(true)
    expect((await check({ body, headers, secrets: otherSecret })).ok).toBe(true)
    const signature = headers["webhook-signature"]
    for (const list of [`v1a,abc v2,def ${signature}`, `${signature} v1,`, `  ${signature}  `]) {
      expect((await check({ body, headers: { ...headers, "webhook-signature": list } })).ok).toBe(true)
    }
  })

  it("tries every key, also after one has matched", async () => {
    const { body, headers } = await delivery()
    const used: Array<string> = []
    const watched = {
      key: (name: string, material: () => Uint8Array<ArrayBuffer> | undefined) => {
        const key = hmac.key(name, material)
        return (
          key &&
          ((...data: Parameters<typeof key>) => {
            used.push(name)
            return key(...data)
          })
        )
      }
    }
    await verifyWith(watched, { body, headers, secrets: [secret, otherSecret], now })
    expect(used).toEqual([secret, otherSecret])
  })

  it.each(["v2", "V1", "v1a", ""])("believes no signature of the version %j", async (version) => {
    const { body, headers } = await delivery()
    const signature = (headers["webhook-signature"] ?? "").replace("v1", version)
    expect(await check({ body, headers: { ...headers, "webhook-signature": signature } })).toMatchObject({
      reason: "signature_mismatch"
    })
  })

  it.each(["soon", "1e9", "-1", " 1795169731", "1795169731.5", "0x6b00f000", "9".repeat(13), "２０２６"])(
    "refuses the timestamp %j",
    async (timestamp) => {
      const { body, headers } = await delivery()
      expect(await check({ body, headers: { ...headers, "webhook-timestamp": timestamp } })).toMatchObject({
        reason: "invalid_timestamp"
      })
    }
  )

  it("allows 300 s in both directions and not one more", async () => {
    const reasons = []
    for (const seconds of [-301, -300, 0, 300, 301]) {
      const result = await check(await delivery({ timestamp: secondsFromNow(seconds) }))
      reasons.push(result.ok ? "ok" : result.reason)
    }
    expect(reasons).toEqual(["timestamp_too_old", "ok", "ok", "ok", "timestamp_too_new"])
  })

  it("takes another tolerance, of which 0 is the strictest and one that is no number refuses", async () => {
    const tried = []
    for (const toleranceSeconds of [9, 10, 0, Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      const signed = await delivery({ timestamp: secondsFromNow(-10) })
      tried.push((await verifyWith(hmac, { ...signed, secrets: secret, now, toleranceSeconds })).ok)
    }
    expect(tried).toEqual([false, true, false, false, false, true])
    const atOnce = { ...(await delivery()), secrets: secret, now }
    expect((await verifyWith(hmac, { ...atOnce, toleranceSeconds: 0 })).ok).toBe(true)
    const refused = await verifyWith(hmac, { ...atOnce, toleranceSeconds: -1 })
    expect(refused).toMatchObject({ reason: "timestamp_too_new" })
  })

  it("says too old or too new only of what is genuine", async () => {
    const { body, headers } = await delivery({ timestamp: secondsFromNow(-4000) })
    expect(await check({ body: `${body} `, headers })).toMatchObject({ reason: "signature_mismatch" })
  })

  it("refuses an event id that is not the signed one", async () => {
    const { body, headers } = await delivery()
    const forged = { ...headers, "X-Service-Event-Id": "event_01jd4c5p8vf3vs6y2k7m9q4hzz" }
    expect(await check({ body, headers: forged })).toMatchObject({ reason: "event_id_mismatch" })
    expect((await check({ body, headers: withHeaders(headers, { "X-Service-Event-Id": undefined }) })).ok).toBe(true)
  })

  it("does not ask for X-Service-Signature, which a rotation makes with the older secret", async () => {
    const { body, headers } = await delivery()
    for (const value of [undefined, "0".repeat(64)]) {
      expect((await check({ body, headers: withHeaders(headers, { "X-Service-Signature": value }) })).ok).toBe(true)
    }
  })

  it("refuses every exchange of one known topic for another, which no signature covers", async () => {
    for (const [topic, payload] of Object.entries(samplePayloads)) {
      const { body, headers } = await sign({ secrets: secret, topic, payload: JSON.stringify(payload), timestamp: now })
      for (const claimed of Object.keys(samplePayloads).filter((other) => other !== topic)) {
        const result = await check({ body, headers: { ...headers, "X-Service-Event": claimed } })
        expect(result, `${topic} as ${claimed}`).toMatchObject({ ok: false, reason: "topic_mismatch" })
      }
    }
  })

  it("accepts a known topic's payload with keys that were added later, also with another topic's", async () => {
    const payload = JSON.stringify({
      ...samplePayloads["merchant.identity.request.approved"],
      grantId: "grant_1",
      more: 1
    })
    const topic = "merchant.identity.request.approved"
    const { body, headers } = await sign({ secrets: secret, topic, payload, timestamp: now })
    expect((await check({ body, headers })).ok).toBe(true)
  })

  it.each(["{", "", "null", "[]", '"text"', "7"])("refuses %j as a refund's payload", async (payload) => {
    const { body, headers } = await sign({
      secrets: secret,
      topic: "refund.completed",
      payload: `${payload} `,
      timestamp: now
    })
    expect(await check({ body, headers })).toMatchObject({ ok: false, reason: "invalid_json" })
  })

  it("leaves environment and attempt open if the header is missing or says something else", async () => {
    const { body, headers } = await delivery()
    for (const value of [undefined, "STAGING", "0", "two", "x1", "1x", "1234567"]) {
      const changed = withHeaders(headers, { "X-Service-Environment": value, "X-Service-Delivery-Attempt": value })
      const result = await check({ body, headers: changed })
      expect(result.ok && [result.event.environment, result.event.attempt]).toEqual([undefined, undefined])
    }
  })
})

describe("verify", () => {
  it("reads the environment and the number of attempts", async () => {
    const { body, headers } = await delivery()
    const later = { ...headers, "X-Service-Environment": "LIVE", "X-Service-Delivery-Attempt": "12" }
    const result = await verify({ body, headers: later, secrets: secret, now })
    expect(result).toMatchObject({ ok: true, event: { environment: "LIVE", attempt: 12 } })
  })

  it("reads the clock if no time is given", async () => {
    vi.useFakeTimers({ now })
    const { body, headers } = await delivery()
    expect((await verify({ body, headers, secrets: secret })).ok).toBe(true)
    vi.setSystemTime(secondsFromNow(301))
    expect(await verify({ body, headers, secrets: secret })).toMatchObject({ reason: "timestamp_too_old" })
    vi.useRealTimers()
  })

  it("never puts the secret or anything of the body into a message", async () => {
    const { body, headers } = await delivery()
    const results = [
      await verify({ body: `${body} `, headers, secrets: secret, now }),
      await verify({ body, headers, secrets: `${secret} `, now }),
      await verify({ body: { reason: "Arrived broken" } as unknown as string, headers, secrets: secret, now }),
      await verify({ body, headers, secrets: secret, now: secondsFromNow(900) })
    ]
    for (const result of results) {
      expect(result.ok).toBe(false)
      expect(JSON.stringify(result)).not.toMatch(/AAECAwQF|Arrived broken|refund_01/u)
    }
  })
})
