import type { Case, Subject, Vector } from "./Case.js"
import { bytes, delivery, id, now, otherSecret, outcome, secret } from "./delivery.js"
import { equal } from "./equal.js"

export const genuineCases: ReadonlyArray<Case> = [
  {
    name: "a delivery's event has all that its headers and its body tell",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      equal(await subject.verify({ body, headers, secrets: secret, now }), {
        ok: true,
        event: {
          known: true,
          id,
          topic: "refund.completed",
          environment: "TEST",
          attempt: 1,
          test: false,
          sequence: headers["X-Service-Sequence"],
          timestamp: now,
          payload: subject.samplePayloads["refund.completed"]
        }
      })
    }
  },
  {
    name: "every topic is known, and one that is newer is passed as unknown",
    run: async (subject) => {
      const { samplePayloads, sign, verify } = subject
      for (const topic of [...Object.keys(samplePayloads), "refund.reversed"]) {
        const payload = JSON.stringify(Object.entries(samplePayloads).find(([name]) => name === topic)?.[1] ?? [1])
        const signed = await sign({ secrets: secret, topic, payload, timestamp: now })
        const result = await verify({ ...signed, secrets: secret, now })
        equal(result.ok && [result.event.topic, result.event.known], [topic, topic !== "refund.reversed"])
      }
    }
  },
  {
    name: "a delivery signed just now is accepted by this runtime's own clock",
    run: async ({ newSecret, sign, verify }) => {
      const secrets = newSecret()
      const signed = await sign({ secrets, topic: "refund.completed", payload: '{"refundId":"refund_1"}' })
      equal((await verify({ ...signed, secrets })).ok, true)
    }
  },
  {
    name: "the body may be text, bytes, a buffer, or a part of a larger buffer",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      const padded = bytes(`xx${body}yy`)
      const forms = [
        body,
        bytes(body),
        bytes(body).buffer,
        padded.subarray(2, padded.length - 2),
        new DataView(padded.buffer, 2, padded.length - 4)
      ]
      for (const form of forms) equal(await outcome(subject, { body: form, headers }), "ok")
    }
  },
  {
    name: "bodies of up to a megabyte count byte by byte, also beyond ASCII",
    run: async ({ sign, verify }) => {
      for (const reason of ["x", "₦", "🏺é", "a🏺"].flatMap((text) => [
        text,
        text.repeat(1000),
        text.repeat(200_000)
      ])) {
        const signed = await sign({
          secrets: secret,
          topic: "refund.completed",
          payload: JSON.stringify({ refundId: "refund_1", reason }),
          timestamp: now
        })
        for (const body of [signed.body, bytes(signed.body)]) {
          const result = await verify({ ...signed, body, secrets: secret, now })
          equal(result.ok && result.event.payload, { refundId: "refund_1", reason })
        }
      }
    }
  },
  {
    name: "headers may be a web Headers, in any letter case, and lists",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      const entries = Object.entries(headers)
      const forms = [
        new Headers(headers),
        Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value])),
        Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value])),
        Object.fromEntries(entries.map(([name, value]) => [name, [value]]))
      ]
      for (const form of forms) equal(await outcome(subject, { body, headers: form }), "ok")
    }
  },
  {
    name: "each of several signature fields counts, however they are joined",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      const genuine = headers["webhook-signature"] ?? ""
      for (const several of [
        [genuine, "v1,AAAA"],
        ["v1,AAAA", genuine],
        ["v1,AAAA v1,BBBB", genuine, "v1,CCCC"]
      ]) {
        const rest = { ...headers }
        delete rest["webhook-signature"]
        const web = new Headers(rest)
        for (const one of several) web.append("webhook-signature", one)
        equal(await outcome(subject, { body, headers: web }), "ok")
        equal(await outcome(subject, { body, headers: { ...rest, "webhook-signature": several.join(", ") } }), "ok")
        equal(await outcome(subject, { body, headers: { ...rest, "webhook-signature": several } }), "ok")
      }
    }
  },
  {
    name: "during a rotation both secrets accept, whichever place they have, and a third does not",
    run: async (subject) => {
      const { body, headers } = await delivery(subject, { secrets: [otherSecret, secret] })
      for (const secrets of [secret, otherSecret, [secret, otherSecret], [otherSecret, secret]]) {
        equal(await outcome(subject, { body, headers, secrets }), "ok")
      }
      equal(await outcome(subject, { body, headers, secrets: subject.newSecret() }), "signature_mismatch")
    }
  },
  {
    name: "300 s in both directions are allowed, and not one more",
    run: async (subject) => {
      const outcomes = []
      for (const seconds of [-301, -300, 300, 301]) {
        const signed = await delivery(subject, { timestamp: new Date(now.getTime() + seconds * 1000) })
        outcomes.push(await outcome(subject, signed))
      }
      equal(outcomes, ["timestamp_too_old", "ok", "ok", "timestamp_too_new"])
    }
  },
  {
    name: "verifySignature gives id, time and the very bytes",
    run: async (subject) => {
      const { body, headers } = await delivery(subject)
      equal(await subject.verifySignature({ body, headers, secrets: secret, now }), {
        ok: true,
        id,
        timestamp: now,
        body: bytes(body)
      })
    }
  }
]

/** Returns cases that check signatures against values computed by other implementations. */
export const vectorCases = (vectors: ReadonlyArray<Vector>): ReadonlyArray<Case> =>
  vectors.map((vector) => ({ name: `a known answer: ${vector.name}`, run: (subject) => checkVector(subject, vector) }))

const checkVector = async (subject: Subject, vector: Vector): Promise<void> => {
  const { body, id, secrets, topic } = vector
  const timestamp = new Date(vector.timestamp * 1000)
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(vector.timestamp),
    "webhook-signature": vector.webhookSignature,
    "x-service-event": topic,
    "x-service-signature": vector.serviceSignature
  }
  for (const each of secrets) equal(await outcome(subject, { body, headers, secrets: each, now: timestamp }), "ok")
  equal(await subject.verifyServiceSignature({ body, headers, secrets: secrets.at(-1) }), { ok: true })
  const signed = await subject.sign({ id, topic, secrets, timestamp, payload: body })
  equal(signed.headers["webhook-signature"], vector.webhookSignature)
  equal(signed.headers["X-Service-Signature"], vector.serviceSignature)
}
