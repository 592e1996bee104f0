import { type Interface, makeMerchant } from "../Interface.js"

export const merchantAndPerson = async (api: Interface) => {
  const merchant = await makeMerchant(api)
  const consumer = await api.send("POST", "/v1/test-helpers/consumers", {
    key: merchant.key,
    body: { display_name: "Ada Obi", country: "NG", email: "ada@mail.example", phone_verified: true }
  })
  return { ...merchant, serviceId: consumer.body.serviceId as string, userId: consumer.body.userId as string }
}

let keys = 0

export const ask = (api: Interface, key: string, body: unknown, idempotencyKey = `ask-${++keys}`) =>
  api.send("POST", "/v1/data-requests", { key, body, headers: { "idempotency-key": idempotencyKey } })

export const decide = (api: Interface, key: string, id: string, verb: "approve" | "deny", body?: unknown) =>
  api.send("POST", `/v1/test-helpers/data-requests/${id}/${verb}`, body === undefined ? { key } : { key, body })

export const readIdentity = (api: Interface, key: string, serviceId: string, fields?: string) => {
  const query = new URLSearchParams({ service_id: serviceId, ...(fields === undefined ? {} : { fields }) })
  return api.send("GET", `/v1/identity?${query}`, { key })
}

export const topicsOf = async (api: Interface, key: string): Promise<ReadonlyArray<string>> => {
  const events = await api.send("GET", "/v1/events", { key })
  return events.body.data.map(({ topic }: { readonly topic: string }) => topic)
}
