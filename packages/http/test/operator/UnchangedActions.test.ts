import { expect, it } from "vitest"
import { application, asOperator, makeInterface } from "../Interface.js"

const api = makeInterface({ provisioning: "token" })

const send = async (method: string, path: string, body?: unknown) => {
  const answer = await api.send(method, path, { ...asOperator, ...(body === undefined ? {} : { body }) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

/** Returns the kinds of a record's actions, oldest first. */
const kindsOf = async (target: string): Promise<ReadonlyArray<string>> => {
  const { data } = await send("GET", `/operator/actions?target=${target}`)
  return data.map(({ kind }: { kind: string }) => kind).reverse()
}

it("records a link once, however often it is made, and again after its removal", async () => {
  const { id } = await send("POST", "/merchants", application)
  const { serviceId } = await send("POST", "/operator/consumers", { environment: "TEST", phoneVerified: true })
  const link = () => send("POST", `/operator/merchants/${id}/links`, { environment: "TEST", serviceId })
  expect(await link()).toEqual(await link())
  expect(await kindsOf(serviceId)).toEqual(["consumer.created", "link.created"])
  await send("DELETE", `/operator/merchants/${id}/links/${serviceId}?environment=TEST`)
  await link()
  expect(await kindsOf(serviceId)).toEqual(["consumer.created", "link.created", "link.removed", "link.created"])
})

it("records one revocation of a key", async () => {
  const { id } = await send("POST", "/merchants", application)
  const key = await send("POST", `/merchants/${id}/api-keys`, { environment: "TEST" })
  await send("DELETE", `/merchants/${id}/api-keys/${key.id}`)
  await send("DELETE", `/merchants/${id}/api-keys/${key.id}`)
  expect(await kindsOf(key.id)).toEqual(["api_key.created", "api_key.revoked"])
})

it("records no change of an endpoint that changes nothing, and no recovery of nothing", async () => {
  const { id } = await send("POST", "/merchants", application)
  const endpoint = await send("POST", `/merchants/${id}/webhooks`, { url: "https://shop.example/hooks" })
  const at = `/merchants/${id}/webhooks/${endpoint.id}`
  await send("PATCH", at, { topics: endpoint.topics, status: "ENABLED", maxPerSecond: null })
  expect(await send("POST", `${at}/recover`, { since: "2030-01-01T00:00:00Z" })).toEqual({ due: 0 })
  expect(await kindsOf(endpoint.id)).toEqual(["endpoint.registered"])
  expect(await send("PATCH", at, { status: "ENABLED", recover: true })).toMatchObject({ recovered: 0 })
  expect(await kindsOf(endpoint.id)).toEqual(["endpoint.registered"])
  await send("PATCH", at, { status: "DISABLED" })
  await send("PATCH", at, { status: "DISABLED" })
  expect(await kindsOf(endpoint.id)).toEqual(["endpoint.registered", "endpoint.changed"])
  await send("PATCH", at, { status: "ENABLED", recover: true })
  await send("PATCH", at, { status: "ENABLED", recover: true })
  expect(await kindsOf(endpoint.id)).toEqual(["endpoint.registered", "endpoint.changed", "endpoint.changed"])
})

it("records no resending of an event to no endpoint", async () => {
  const { id } = await send("POST", "/merchants", application)
  await send("POST", "/operator/payments", { merchantId: id, environment: "TEST", amount: 100, currency: "NGN" })
  const { data } = await send("GET", `/operator/merchants/${id}/events?environment=TEST`)
  const eventId = data[0].id
  const resend = `/operator/merchants/${id}/events/${eventId}/resend?environment=TEST`
  expect(await send("POST", resend)).toEqual({ eventId, scheduled: 0 })
  expect(await kindsOf(eventId)).toEqual([])
  await send("POST", `/merchants/${id}/webhooks`, { url: "https://shop.example/hooks" })
  expect(await send("POST", resend)).toEqual({ eventId, scheduled: 1 })
  expect(await kindsOf(eventId)).toEqual(["event.resent"])
})

it("records a restriction once, however often it is set, and its lifting once", async () => {
  const { serviceId } = await send("POST", "/operator/consumers", { environment: "TEST", phoneVerified: true })
  const act = (verb: string) =>
    send("POST", `/operator/people/${serviceId}/${verb}`, { environment: "TEST", reason: "asked by letter" })
  await act("lift-restriction")
  expect(await kindsOf(serviceId)).toEqual(["consumer.created"])
  expect(await act("restrict")).toEqual(await act("restrict"))
  expect(await kindsOf(serviceId)).toEqual(["consumer.created", "person.restricted"])
  await act("lift-restriction")
  await act("lift-restriction")
  expect(await kindsOf(serviceId)).toEqual(["consumer.created", "person.restricted", "person.restriction_lifted"])
})
