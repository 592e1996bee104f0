import type { ServiceSignatureInput } from "../../../src/index.js"
import type { Case } from "./Case.js"
import { bytes, delivery, now, otherSecret, outcome, secret } from "./delivery.js"
import { equal } from "./equal.js"

export const refusedCases: ReadonlyArray<Case> = [
  {
    name: "a body with any one byte changed, cut at any place, or with one byte more is refused",
    run: async (subject) => {
      const signed = await delivery(subject)
      const body = bytes(signed.body)
      const forged = Array.from(body, (byte, index) => {
        const copy = body.slice()
        copy[index] = byte ^ (1 << (index % 8))
        return copy
      })
      const cut = Array.from(body, (_, length) => body.slice(0, length)).slice(1)
      for (const each of [...forged, ...cut, bytes(`${signed.body} `)]) {
        equal(await outcome(subject, { body: each, headers: signed.headers }), "signature_mismatch")
      }
    }
  },
  {
    name: "another id, time or signature is refused",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      const changes = {
        "webhook-id": "event_01jd4c5p8vf3vs6y2k7m9q4hzz",
        "webhook-timestamp": String(now.getTime() / 1000 + 1),
        "webhook-signature": `v1,${"A".repeat(43)}=`
      }
      for (const change of Object.entries(changes)) {
        const forged = { ...headers, ...Object.fromEntries([change]) }
        equal(await outcome(subject, { body, headers: forged }), "signature_mismatch")
      }
      const version = { ...headers, "webhook-signature": (headers["webhook-signature"] ?? "").replace("v1", "v2") }
      equal(await outcome(subject, { body, headers: version }), "signature_mismatch")
    }
  },
  {
    name: "each header that is missing or empty is named as missing, though X-Service-Signature is right",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature", "X-Service-Event"]) {
        for (const value of [undefined, ""]) {
          equal(await outcome(subject, { body, headers: { ...headers, [name]: value } }), "missing_headers")
        }
      }
    }
  },
  {
    name: "an unsigned event id that differs, and a topic that the payload contradicts, are refused",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      const otherId = { ...headers, "X-Service-Event-Id": "event_2" }
      equal(await outcome(subject, { body, headers: otherId }), "event_id_mismatch")
      const otherTopic = { ...headers, "X-Service-Event": "transaction.settled" }
      equal(await outcome(subject, { body, headers: otherTopic }), "topic_mismatch")
    }
  },
  {
    name: "a time that is no number of seconds is refused",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      for (const time of ["soon", "1e9", "-1", "1795169731.5", "２０２６"]) {
        const forged = { ...headers, "webhook-timestamp": time }
        equal(await outcome(subject, { body, headers: forged }), "invalid_timestamp", time)
      }
    }
  },
  {
    name: "what is signed and no JSON object is refused as such",
    run: async (subject) => {
      for (const payload of ["{", "null", "[]", '"text"', '{"refundId":NaN}']) {
        const signed = await subject.sign({ secrets: secret, topic: "refund.completed", payload, timestamp: now })
        equal(await outcome(subject, signed), "invalid_json", payload)
      }
    }
  },
  {
    name: "a parsed body, an empty one and none are refused as not raw",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      for (const wrong of [JSON.parse(body), [1], 7, undefined, null, "", new Uint8Array(), new ArrayBuffer(0)]) {
        equal(await outcome(subject, { body: wrong, headers }), "body_not_raw")
      }
    }
  },
  {
    name: "a secret of another form is refused, and never repeated",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      const wrong = [undefined, "", [], "sk_live_abcdefghijklmnop", `${secret}\n`, secret.slice(0, -1), [secret, ""]]
      for (const secrets of wrong) {
        equal(await outcome(subject, { body, headers, secrets }), "invalid_secret")
        const result = await subject.verify({ body, headers, secrets: secrets as string, now })
        equal(/AAECAwQF|sk_live/u.test(JSON.stringify(result)), false)
      }
    }
  },
  {
    name: "headers that are none do not throw",
    run: async (subject) => {
      for (const headers of [undefined, null, "webhook-id", 7, [], new Map()]) {
        equal(await outcome(subject, { body: "{}", headers }), "missing_headers")
      }
    }
  },
  {
    name: "verifyServiceSignature accepts under the older secret alone, and refuses what was changed",
    run: async (subject) => {
      const { body, headers } = await delivery(subject, { secrets: [otherSecret, secret] })
      const reason = async (input: ServiceSignatureInput) => {
        const result = await subject.verifyServiceSignature(input)
        return result.ok ? "ok" : result.reason
      }
      equal(await reason({ body, headers, secrets: secret }), "ok")
      equal(await reason({ body: bytes(body), headers, secrets: [otherSecret, secret] }), "ok")
      equal(await reason({ body, headers, secrets: otherSecret }), "signature_mismatch")
      equal(await reason({ body: `${body} `, headers, secrets: secret }), "signature_mismatch")
      equal(await reason({ body, headers: {}, secrets: secret }), "missing_headers")
    }
  }
]
