import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Layer, Tracer } from "effect"
import { expect, it } from "vitest"
import { asOperator, makeConsumer, makeInterface, makeLiveKey, makeMerchant, verify } from "../Interface.js"

/** Values that only the provider may receive: the details to compare, a number and a code. */
const validation = {
  first_name: "Canaryfirst",
  last_name: "Canarylast",
  date_of_birth: "1911-07-23",
  selfie: `/9j/CANARYSELFIE${"A".repeat(1000)}`
}
const number = "90817263545"
const code = "c4n4ry-c0de"

const traces = [number, "81726354", "Canaryfirst", "Canarylast", "1911-07-23", "CANARYSELFIE", code]

const recordingTracer = (spans: Array<Tracer.NativeSpan>) =>
  Layer.succeed(
    Tracer.Tracer,
    Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
  )

const textOfSpan = (span: Tracer.NativeSpan): string =>
  JSON.stringify([span.name, [...span.attributes], span.events, span.status], (_, value) =>
    typeof value === "bigint" ? String(value) : value instanceof Error ? `${value.stack}` : value
  )

const bodies = (userId: string): ReadonlyArray<object> => {
  const asked = { user_id: userId, kind: "bvn", id: number, verification_consent: true, validation }
  return [
    asked,
    { ...asked, id: Number(number) },
    { ...asked, id: [number] },
    { ...asked, id: number.repeat(9) },
    { ...asked, kind: number },
    { ...asked, validation: { ...validation, selfie: [validation.selfie], first_name: { a: validation.first_name } } },
    { ...asked, validation: { ...validation, last_name: validation.last_name.repeat(20) } },
    { ...asked, validation: validation.selfie },
    { ...asked, verification_consent: validation.first_name },
    { ...asked, user_id: undefined },
    { ...asked, user_id: "consumer_nobody" },
    { ...asked, kind: "phone" }
  ]
}

it("Number, selfie, names, birthday and code are in no answer, log line at debug, or span", async () => {
  const spans: Array<Tracer.NativeSpan> = []
  const fake = FakeKycProvider.make({ submissions: ["needs_code", "throws", "junk"] })
  const providers = Layer.provide(KycProviders.layer, fake.layer)
  const api = makeInterface({}, Layer.merge(providers, recordingTracer(spans)))
  const { id, key } = await makeMerchant(api)
  const test = await makeConsumer(api, key)
  const liveKey = await makeLiveKey(api, id)
  const live = (await api.send("POST", "/operator/consumers", { ...asOperator, body: {} })).body
  const link = { ...asOperator, body: { serviceId: live.serviceId } }
  await api.send("POST", `/operator/merchants/${id}/links`, link)
  const answers: Array<string> = []
  const note = ({ text, headers }: { readonly text: string; readonly headers: Headers }) =>
    answers.push(text, JSON.stringify([...headers]))

  for (const [bearer, userId] of [
    [liveKey, live.userId],
    [key, test.userId]
  ] as const) {
    for (const [index, body] of bodies(userId).entries()) note(await verify(api, bearer, body, `canary-${index}`))
    note(await verify(api, bearer, bodies(userId)[0] ?? {}, "canary-0"))
    note(await verify(api, bearer, { ...bodies(userId)[0], tier: "other" }, "canary-0"))
    for (const raw of [
      `{"user_id":"${userId}","kind":"bvn","id":${number}.00000000001}`,
      `{"validation":{"selfie":"${validation.selfie}\\u0000","first_name":"${validation.first_name}\\ud800"}}`,
      `{"id":"${number}","id":"${number}"}`,
      `{"id":"${number}"`
    ]) {
      const headers = { "content-type": "application/json", "idempotency-key": "raw" }
      note(await api.send("POST", "/v1/kyc/verifications", { key: bearer, raw, headers }))
    }
    note(await api.send("GET", "/v1/kyc/verifications", { key: bearer }))
  }
  const [first] = fake.asked
  for (const sent of [{ code }, { code: [code] }, { code: code.repeat(9) }, { code }]) {
    const path = `/v1/kyc/verifications/${first?.reference}/code`
    note(await api.send("POST", path, { key: liveKey, body: sent }))
  }
  note(await api.send("GET", "/operator/verifications?environment=LIVE", asOperator))

  expect(fake.codes).toHaveLength(1)
  expect(spans.length).toBeGreaterThan(40)
  expect(api.lines.length).toBeGreaterThan(40)
  const places = { answers, lines: api.lines, spans: spans.map(textOfSpan) }
  for (const [place, texts] of Object.entries(places)) {
    for (const trace of traces) {
      expect([place, texts.filter((text) => text.includes(trace))]).toEqual([place, []])
    }
  }
})
