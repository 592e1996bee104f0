import { createHmac } from "node:crypto"
import type { FailureReason } from "../src/index.js"
import { samplePayloads } from "../src/testing.js"

interface Repetition {
  readonly before: string
  readonly repeat: string
  readonly times: number
  readonly after: string
}

export type VectorBody = string | { readonly base64: string } | Repetition

/** A received delivery with the expected result of `verify`. All SDKs' verifiers are tested with the same vectors. */
export interface DeliveryVector {
  readonly name: string
  readonly body: VectorBody
  /** In wire order, including repeated fields. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly secrets: ReadonlyArray<string>
  /** Seconds since 1970. */
  readonly now: number
  readonly toleranceSeconds?: number
  readonly reason?: FailureReason
  readonly event?: {
    readonly id: string
    readonly topic: string
    readonly known: boolean
    readonly environment: string | null
    readonly test: boolean
    readonly attempt: number | null
    readonly timestamp: number
    /** The payload's amount as a decimal string. */
    readonly amount?: string
    readonly refundId?: string
  }
}

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
const otherSecret = "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="
const id = "event_01jd4c5p8vf3vs6y2k7m9q4hzn"
const now = 1_795_169_730
const refund = '{"refundId":"refund_1","amount":2500.5,"currency":"NGN","status":"COMPLETED",'
const ids = '"merchantId":"merchant_1","transactionId":"payment_1","completedAt":"2026-11-20T10:15:30.250Z"}'
const body = refund + ids

export const bytesOf = (of: VectorBody): Buffer => {
  if (typeof of === "string") return Buffer.from(of)
  return "base64" in of
    ? Buffer.from(of.base64, "base64")
    : Buffer.from(of.before + of.repeat.repeat(of.times) + of.after)
}

interface Signing {
  readonly body?: VectorBody
  readonly timestamp?: string
  readonly secrets?: ReadonlyArray<string>
  readonly topic?: string
  readonly id?: string
}

const signatureOf = (key: string, signing: Signing): string =>
  createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"))
    .update(`${signing.id ?? id}.${signing.timestamp ?? now}.`)
    .update(bytesOf(signing.body ?? body))
    .digest("base64")

const signature = (signing: Signing = {}): string => signatureOf(secret, signing)

const serviceSignature = (of: VectorBody): string => createHmac("sha256", secret).update(bytesOf(of)).digest("hex")

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const headersOf = (signing: Signing, changes: Headers): DeliveryVector["headers"] => {
  const { secrets = [secret], timestamp = String(now), topic = "refund.completed" } = signing
  const headers: Headers = {
    "X-Service-Signature": serviceSignature(signing.body ?? body),
    "X-Service-Event": topic,
    "X-Service-Event-Id": signing.id ?? id,
    "X-Service-Environment": "TEST",
    "X-Service-Delivery-Attempt": "1",
    "webhook-id": signing.id ?? id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((key) => `v1,${signatureOf(key, signing)}`).join(" "),
    ...changes
  }
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => [name, each] as const)
  )
}

type Received = Partial<Pick<DeliveryVector, "body" | "secrets" | "now" | "toleranceSeconds">>

const received = (name: string, signing: Signing, changes: Headers, given: Received) => ({
  name,
  body: given.body ?? signing.body ?? body,
  headers: headersOf(signing, changes),
  secrets: given.secrets ?? [secret],
  now: given.now ?? now,
  ...(given.toleranceSeconds === undefined ? {} : { toleranceSeconds: given.toleranceSeconds })
})

const refused = (
  reason: FailureReason,
  name: string,
  { signing = {}, headers = {}, ...given }: { signing?: Signing; headers?: Headers } & Received = {}
): DeliveryVector => ({ ...received(name, signing, headers, given), reason })

const accepted = (
  name: string,
  {
    signing = {},
    headers = {},
    event = {},
    ...given
  }: { signing?: Signing; headers?: Headers; event?: Partial<DeliveryVector["event"]> } & Received = {}
): DeliveryVector => ({
  ...received(name, signing, headers, given),
  event: {
    id: signing.id ?? id,
    topic: signing.topic ?? "refund.completed",
    known: true,
    environment: "TEST",
    test: false,
    attempt: 1,
    timestamp: Number(signing.timestamp ?? now),
    ...event
  }
})

const right = `v1,${signature()}`
/** A signature that decodes to the same bytes as `right`. Only base64's unused trailing bits differ. */
const malleated = right.replace(/.=$/u, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`)

const parts = (commas: number): VectorBody => ({ before: "[1", repeat: ",1", times: commas, after: "]" })

const text = (value: string): Signing => ({ body: value })

/** Each topic's payload, sent under the name of the next topic. */
const exchanged = Object.entries(samplePayloads).map(([topic, payload], index, all) => {
  const [claimed] = all[(index + 1) % all.length] ?? [topic]
  const signing = { body: JSON.stringify(payload), topic: claimed }
  return refused("topic_mismatch", `the sample of ${topic} as ${claimed}`, { signing })
})

export const deliveryVectors: ReadonlyArray<DeliveryVector> = [
  accepted("a delivery as the service sends it", { event: { amount: "2500.5" } }),
  accepted("header names in upper case", {
    headers: { "webhook-id": undefined, "WEBHOOK-ID": id, "x-service-event": undefined }
  }),
  accepted("a signature by the older of two secrets", { secrets: [otherSecret, secret] }),
  accepted("a rotation's overlap, with the old secret", { signing: { secrets: [otherSecret, secret] } }),
  accepted("a rotation's overlap, with the new secret", {
    signing: { secrets: [otherSecret, secret] },
    secrets: [otherSecret]
  }),
  accepted("signatures in two fields of one name", {
    headers: { "webhook-signature": [`v1,${"A".repeat(43)}=`, right] }
  }),
  accepted("signatures of other versions beside the right one", {
    headers: { "webhook-signature": `v1a,abc v2,def  ${right} v1,` }
  }),
  accepted("a thousand wrong signatures before the right one", {
    headers: { "webhook-signature": `${`v1,${"A".repeat(43)}= `.repeat(1000)}${right}` }
  }),
  accepted("X-Service-Signature missing", { headers: { "X-Service-Signature": undefined } }),
  accepted("X-Service-Signature wrong", { headers: { "X-Service-Signature": "0".repeat(64) } }),
  accepted("X-Service-Event-Id missing", { headers: { "X-Service-Event-Id": undefined } }),
  accepted("environment and attempt missing", {
    headers: { "X-Service-Environment": undefined, "X-Service-Delivery-Attempt": undefined },
    event: { environment: null, attempt: null }
  }),
  accepted("environment and attempt of another form", {
    headers: { "X-Service-Environment": "STAGING", "X-Service-Delivery-Attempt": "01" },
    event: { environment: null, attempt: null }
  }),
  accepted("an attempt in digits of another script", {
    headers: { "X-Service-Delivery-Attempt": "１" },
    event: { attempt: null }
  }),
  accepted("environment sent twice", {
    headers: { "X-Service-Environment": ["TEST", "LIVE"] },
    event: { environment: null }
  }),
  accepted("a later attempt of a LIVE event", {
    headers: { "X-Service-Environment": "LIVE", "X-Service-Delivery-Attempt": "12" },
    event: { environment: "LIVE", attempt: 12 }
  }),
  ...Object.entries(samplePayloads).map(([topic, payload]) =>
    accepted(`the sample of ${topic}`, { signing: { body: JSON.stringify(payload), topic } })
  ),
  accepted("a test event", { headers: { "X-Service-Test": "true" }, event: { test: true } }),
  accepted("a topic newer than this version", {
    signing: { body: "[1]", topic: "refund.reversed" },
    event: { known: false }
  }),
  accepted("the topic sent twice, which is another topic", {
    headers: { "X-Service-Event": ["refund.completed", "refund.completed"] },
    event: { known: false, topic: "refund.completed refund.completed" }
  }),
  accepted("a topic that is a name of the language's own", {
    signing: { body: "{}", topic: "constructor" },
    event: { known: false }
  }),
  accepted("a time with a leading zero, signed so", { signing: { timestamp: `0${now}` } }),
  accepted("300 s ago", { signing: { timestamp: String(now - 300) } }),
  accepted("300 s ahead", { signing: { timestamp: String(now + 300) } }),
  accepted("a tolerance of 0, at the same second", { toleranceSeconds: 0 }),
  accepted("a byte order mark before the JSON", { signing: text(`\uFEFF${body}`) }),
  accepted("white space around the JSON", { signing: text(`\r\n\t ${body}\n`) }),
  accepted("letters beyond ASCII", { signing: text(body.replace("NGN", "₦🏺")) }),
  accepted("an amount that a float would round", {
    signing: text(body.replace("2500.5", "9007199254740.93")),
    event: { amount: "9007199254740.93" }
  }),
  accepted("an amount without decimals", {
    signing: text(body.replace("2500.5", "2500")),
    event: { amount: "2500" }
  }),
  accepted("a field twice, of which the last counts", {
    signing: text(body.replace('"amount":2500.5', '"amount":1,"amount":2500.5')),
    event: { amount: "2500.5" }
  }),
  accepted("keys in another letter case, which are other keys", {
    signing: text(body.replace(/\}$/u, ',"AMOUNT":1,"Amount":2}')),
    event: { amount: "2500.5" }
  }),
  accepted("keys that were added later, also one of another topic", {
    signing: text(body.replace(/\}$/u, ',"grantId":"grant_1","more":[{"a":null}]}'))
  }),
  accepted("keys that differ only in letter case, the last of which is another key", {
    signing: text(body.replace(/\}$/u, ',"refundid":"refund_2","REFUNDID":"refund_3"}')),
    event: { refundId: "refund_1" }
  }),
  accepted("64 brackets deep", {
    signing: { body: `${'{"a":'.repeat(64)}1${"}".repeat(64)}`, topic: "refund.reversed" },
    event: { known: false }
  }),
  accepted("100,000 parts", {
    signing: { body: parts(99_999), topic: "refund.reversed" },
    event: { known: false }
  }),
  accepted("brackets in a string", {
    signing: text(body.replace("NGN", '[{\\"'.repeat(5000)))
  }),

  refused("signature_mismatch", "one byte of the body changed", { body: body.replace("2500.5", "2500.6") }),
  refused("signature_mismatch", "the body parsed and written again", {
    body: JSON.stringify(JSON.parse(body), null, 1)
  }),
  refused("signature_mismatch", "a line feed after the body", { body: `${body}\n` }),
  refused("signature_mismatch", "another id", { headers: { "webhook-id": `${id.slice(0, -1)}z` } }),
  refused("signature_mismatch", "the id in another letter case", { headers: { "webhook-id": id.toUpperCase() } }),
  refused("signature_mismatch", "the id twice", { headers: { "webhook-id": [id, id] } }),
  refused("signature_mismatch", "the dot between id and time moved", {
    headers: { "webhook-id": `${id}.1`, "webhook-timestamp": String(now).slice(1), "X-Service-Event-Id": undefined }
  }),
  refused("signature_mismatch", "another time", { headers: { "webhook-timestamp": String(now + 1) } }),
  refused("signature_mismatch", "a leading zero before the signed time", {
    headers: { "webhook-timestamp": `0${now}` }
  }),
  refused("signature_mismatch", "another secret", { secrets: [otherSecret] }),
  refused("signature_mismatch", "a signature whose unused bits differ", {
    headers: { "webhook-signature": malleated }
  }),
  refused("signature_mismatch", "a signature without its padding", {
    headers: { "webhook-signature": right.replace(/=$/u, "") }
  }),
  refused("signature_mismatch", "a signature with more padding", { headers: { "webhook-signature": `${right}=` } }),
  refused("signature_mismatch", "a signature cut short", { headers: { "webhook-signature": right.slice(0, -8) } }),
  refused("signature_mismatch", "an empty signature", { headers: { "webhook-signature": "v1," } }),
  refused("signature_mismatch", "a signature in the alphabet of URLs", {
    signing: { timestamp: String(now + 3) },
    headers: {
      "webhook-signature": `v1,${signature({ timestamp: String(now + 3) })
        .replaceAll("+", "-")
        .replaceAll("/", "_")}`
    }
  }),
  refused("signature_mismatch", "a signature in hex", {
    headers: { "webhook-signature": `v1,${Buffer.from(signature(), "base64").toString("hex")}` }
  }),
  refused("signature_mismatch", "X-Service-Signature in the other's place", {
    headers: { "webhook-signature": `v1,${serviceSignature(body)}` }
  }),
  refused("signature_mismatch", "the version v2", { headers: { "webhook-signature": right.replace("v1", "v2") } }),
  refused("signature_mismatch", "the version V1", { headers: { "webhook-signature": right.replace("v1", "V1") } }),
  refused("signature_mismatch", "the version v1a", { headers: { "webhook-signature": right.replace("v1", "v1a") } }),
  refused("signature_mismatch", "no version", { headers: { "webhook-signature": right.slice(3) } }),
  refused("signature_mismatch", "a tab after the signature", { headers: { "webhook-signature": `${right}\t` } }),
  refused("signature_mismatch", "a tab between signatures", {
    headers: { "webhook-signature": `v1,AAAA\t${right}` }
  }),
  refused("signature_mismatch", "a comma between signatures", {
    headers: { "webhook-signature": `v1,AAAA,${right}` }
  }),
  refused("signature_mismatch", "a signature beyond ASCII", {
    headers: { "webhook-signature": `v1,${"é".repeat(44)} v1,${"🏺".repeat(11)}` }
  }),

  ...["webhook-id", "webhook-timestamp", "webhook-signature", "X-Service-Event"].flatMap((name) => [
    refused("missing_headers", `${name} missing`, { headers: { [name]: undefined } }),
    refused("missing_headers", `${name} empty`, { headers: { [name]: "" } })
  ]),

  ...[
    ...["soon", "1e9", "-1", "+1795169730", " 1795169730", "1795169730 ", "1795169730\n", "1795169730.5", "0x6b00f000"],
    ...["NaN", "Infinity", "1_795_169_730", "1,795,169,730", "9".repeat(13), "9".repeat(400), "２０２６", "١٧٩٥١٦٩٧٣٠"]
  ].map((timestamp) =>
    refused("invalid_timestamp", `the time ${JSON.stringify(timestamp).slice(0, 40)}`, {
      headers: { "webhook-timestamp": timestamp }
    })
  ),
  refused("invalid_timestamp", "13 digits with leading zeros, signed so", { signing: { timestamp: `000${now}` } }),
  refused("invalid_timestamp", "the time twice", { headers: { "webhook-timestamp": [String(now), String(now)] } }),
  refused("timestamp_too_new", "the largest time that is read", { signing: { timestamp: "999999999999" } }),
  refused("timestamp_too_old", "the time 0", { signing: { timestamp: "0" } }),
  refused("timestamp_too_old", "twelve zeros", { signing: { timestamp: "000000000000" } }),
  refused("timestamp_too_old", "301 s ago", { signing: { timestamp: String(now - 301) } }),
  refused("timestamp_too_new", "301 s ahead", { signing: { timestamp: String(now + 301) } }),
  refused("timestamp_too_old", "a tolerance of 0, one second ago", {
    signing: { timestamp: String(now - 1) },
    toleranceSeconds: 0
  }),
  refused("timestamp_too_new", "a tolerance below 0", { toleranceSeconds: -1 }),
  refused("signature_mismatch", "old and forged: the signature is checked first", {
    signing: { timestamp: String(now - 4000) },
    body: `${body} `
  }),

  refused("event_id_mismatch", "another X-Service-Event-Id", { headers: { "X-Service-Event-Id": "event_2" } }),
  refused("event_id_mismatch", "X-Service-Event-Id twice", { headers: { "X-Service-Event-Id": [id, id] } }),
  ...exchanged,
  refused("topic_mismatch", "a refund as a settlement", { headers: { "X-Service-Event": "transaction.settled" } }),
  refused("topic_mismatch", "a denial as an approval", {
    signing: { body: '{"status":"DENIED"}', topic: "merchant.identity.request.approved" }
  }),

  ...["{", "}", "null", "[]", "7", "true", '"text"', " ", "{}x", '{"a":1,}', "{'a':1}", '{"a":01}', "// {}\n{}"].map(
    (json) => refused("invalid_json", `the body ${json}`, { signing: { body: json } })
  ),
  ...["NaN", "Infinity", "-Infinity", "0x10", "1.", ".5", "+1", "1_000"].map((number) =>
    refused("invalid_json", `the amount ${number}`, { signing: text(body.replace("2500.5", number)) })
  ),
  refused("invalid_json", "a string in place of an object's key", { signing: text(`{"refundId"}`) }),
  refused("invalid_json", "a number in place of an object's key", { signing: text(`{1.5:"refund_1"}`) }),
  refused("invalid_json", "two byte order marks", { signing: text(`\uFEFF\uFEFF${body}`) }),
  refused("invalid_json", "a line separator around the JSON", { signing: text(`\u2028${body}`) }),
  refused("invalid_json", "a form feed around the JSON", { signing: text(`\f${body}`) }),
  refused("invalid_json", "an unknown escape", { signing: text(body.replace("NGN", "\\x41")) }),
  refused("invalid_json", "a NUL after the JSON", { signing: text(`${body}\0`) }),
  refused("invalid_json", "a line feed in a string", { signing: text(body.replace("NGN", "N\nN")) }),
  refused("invalid_json", "bytes that are not UTF-8", {
    signing: { body: { base64: Buffer.from(body.replace("NGN", "\u00ff"), "latin1").toString("base64") } }
  }),
  refused("invalid_json", "an overlong form in UTF-8", {
    signing: { body: { base64: Buffer.from(body.replace("NGN", "\u00c0\u00af"), "latin1").toString("base64") } }
  }),
  refused("invalid_json", "a surrogate in UTF-8", {
    signing: { body: { base64: Buffer.from(body.replace("NGN", "\u00ed\u00a0\u0080"), "latin1").toString("base64") } }
  }),
  refused("invalid_json", "JSON in UTF-16", {
    signing: { body: { base64: Buffer.from(`\uFEFF${body}`, "utf16le").toString("base64") } }
  }),
  refused("invalid_json", "65 brackets deep", {
    signing: { body: `${'{"a":'.repeat(65)}1${"}".repeat(65)}`, topic: "refund.reversed" }
  }),
  refused("invalid_json", "200,000 brackets", {
    signing: { body: { before: "", repeat: "[", times: 200_000, after: "" } }
  }),
  refused("invalid_json", "100,001 parts", { signing: { body: parts(100_000), topic: "refund.reversed" } }),
  refused("invalid_json", "NaN in a payload of unknown form", {
    signing: { body: '{"a":NaN}', topic: "refund.reversed" }
  }),

  refused("body_not_raw", "an empty body", { signing: text("") }),
  ...[
    ["an API key", "sk_live_abcdefghijklmnop"],
    ["an empty secret", ""],
    ["white space before the secret", ` ${secret}`],
    ["a line feed after the secret", `${secret}\n`],
    ["the padding lost", secret.slice(0, -1)],
    ["the alphabet of URLs", `whsec_${"-_".repeat(21)}A=`],
    ["23 bytes", `whsec_${Buffer.alloc(23, 97).toString("base64")}`],
    ["66 bytes", `whsec_${Buffer.alloc(66, 97).toString("base64")}`],
    ["no prefix", secret.slice(6)]
  ].map(([what, wrong = ""]) => refused("invalid_secret", `a secret with ${what}`, { secrets: [wrong] })),
  refused("invalid_secret", "a wrong secret beside the right one", { secrets: [secret, "other"] }),
  refused("invalid_secret", "no secret in the list", { secrets: [] })
]
