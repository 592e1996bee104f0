import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Caller } from "./Caller.ts"

/** The merchant of a template, with its person and endpoint. */
export interface Party {
  readonly merchantId: string
  readonly apiKeyId: string
  readonly key: string
  readonly endpointId: string
  readonly userId: string
  readonly serviceId: string
}

/**
 * An operation that the bench performs once through the API. The bench then copies the rows that the operation stores.
 */
export interface Template {
  readonly name: string
  /** Number of copies in a store with `refunds` refunds. */
  readonly count: (refunds: number) => number
  /**
   * Set if the copies are still open. Records do not stay open for weeks, so these copies are only five seconds apart.
   * The last is about a minute old. Other copies are spread over two months.
   */
  readonly isRecent?: true
  /** Set if every fiftieth copy belongs to the busy person. Other templates leave that person out. */
  readonly hasBusyPerson?: true
  readonly act: (desk: TemplateDesk) => Promise<unknown>
}

/** The merchant and person of a template, with functions that send requests. */
export interface TemplateDesk extends Party {
  readonly asMerchant: Asking
  readonly asOperator: Asking
  /** Number of requests the merchant has sent. */
  readonly called: () => number
}

/**
 * Sends a request and returns the response's JSON. Fails unless the response has the given status, by default 201 for a
 * POST and 200 for any other method.
 */
type Asking = (
  method: string,
  path: string,
  body?: object,
  status?: number
) => Promise<Readonly<Record<string, unknown>>>

/** Response status for a refund whose outcome is unknown. */
const notKnownYet = 503

/** Returns the number of refunds that stay pending. */
const openRefunds = (refunds: number): number => Math.min(20, Math.ceil(refunds / 500))
const failedRefunds = (refunds: number): number => Math.floor(refunds / 100)
const share = (parts: number) => (refunds: number) => Math.max(5, Math.floor(refunds / parts))

const sell = async (desk: TemplateDesk, outcome?: string): Promise<string> => {
  const payment = await desk.asMerchant("POST", "/v1/test-helpers/payments", {
    service_id: desk.serviceId,
    amount: 2500.5,
    reference: `order-${desk.userId}`,
    ...(outcome === undefined ? {} : { refund_outcome: outcome })
  })
  const order = {
    transaction_id: payment.transactionId,
    amount: 1000.25,
    reason: "One of the two shirts came back damaged."
  }
  const status = outcome === undefined ? 201 : notKnownYet
  const refund = await desk.asMerchant("POST", "/v1/refunds", order, status)
  return String(refund.id ?? refund.refundId)
}

const ask = async (desk: TemplateDesk): Promise<string> => {
  const asked = await desk.asMerchant("POST", "/v1/data-requests", {
    service_id: desk.serviceId,
    requested_fields: ["display_name", "email"],
    purpose: "To deliver what you have bought, and to reach you about it."
  })
  return String(asked.id)
}

const decide = async (desk: TemplateDesk, how: "approve" | "deny" | "expire"): Promise<void> => {
  await desk.asMerchant("POST", `/v1/test-helpers/data-requests/${await ask(desk)}/${how}`)
}

const bvn = { verified: "22222222222" }

export const templates: ReadonlyArray<Template> = [
  {
    name: "sale",
    count: (refunds) => refunds - failedRefunds(refunds) - openRefunds(refunds),
    hasBusyPerson: true,
    act: (desk) => sell(desk)
  },
  {
    name: "failed refund",
    count: failedRefunds,
    act: async (desk) => {
      const id = await sell(desk, "pending")
      await desk.asMerchant("POST", `/v1/test-helpers/refunds/${id}/settle`, { outcome: "failed" })
    }
  },
  { name: "open refund", count: openRefunds, isRecent: true, act: (desk) => sell(desk, "pending") },
  {
    name: "consent",
    count: share(20),
    act: async (desk) => {
      await decide(desk, "approve")
      for (const _ of [1, 2, 3]) await desk.asMerchant("GET", `/v1/identity?service_id=${desk.serviceId}`)
    }
  },
  {
    name: "revoked consent",
    count: share(200),
    act: async (desk) => {
      await decide(desk, "approve")
      const grants = await desk.asMerchant("GET", "/v1/grants")
      const [grant] = Array.isArray(grants.data) ? grants.data : []
      await desk.asMerchant("POST", `/v1/test-helpers/grants/${grant.id}/revoke`)
    }
  },
  { name: "denied request", count: share(200), act: (desk) => decide(desk, "deny") },
  { name: "expired request", count: share(100), act: (desk) => decide(desk, "expire") },
  { name: "open request", count: share(2_000), isRecent: true, act: ask },
  {
    name: "verification",
    count: share(50),
    act: (desk) =>
      desk.asMerchant("POST", "/v1/kyc/verifications", {
        service_id: desk.serviceId,
        kind: "bvn",
        id: bvn.verified,
        verification_consent: true,
        tier: "TIER_2",
        validation: { first_name: "Ada", last_name: "Okafor", date_of_birth: "1990-01-01" }
      })
  },
  {
    name: "rights request",
    count: share(2_000),
    act: async ({ asOperator, serviceId }) => {
      const asked = { environment: "TEST", serviceId, kind: "EXPORT" }
      const { id } = await asOperator("POST", "/operator/rights-requests", asked)
      const done = { environment: "TEST", status: "REFUSED", reason: "Asked for by someone else." }
      await asOperator("POST", `/operator/rights-requests/${id}/close`, done)
    }
  },
  {
    name: "open rights request",
    count: share(20_000),
    isRecent: true,
    act: ({ asOperator, serviceId }) =>
      asOperator("POST", "/operator/rights-requests", { environment: "TEST", serviceId, kind: "ERASE" })
  }
]

/** Starts a receiver that returns 204 to every delivery, like a healthy merchant. */
export const openReceiver = async (): Promise<{ readonly url: string; readonly close: () => void }> => {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

const application = {
  legalName: "Ada Obi Trading Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@shop.example",
  country: "NG",
  businessType: "retail"
}

/** Creates an active merchant with a key and an endpoint in each of `environments`. */
export const newMerchant = async (
  caller: Caller,
  operator: string,
  name: string,
  endpointUrl: string,
  environments: ReadonlyArray<"TEST" | "LIVE">
) => {
  const post = (path: string, body: object) => caller.json({ method: "POST", path, bearer: operator, body }, 201)
  const { id } = await post("/merchants", { ...application, name })
  await post(`/operator/merchants/${id}/status`, { status: "ACTIVE", reason: "Reviewed" })
  const places = []
  for (const environment of environments) {
    const key = await post(`/merchants/${id}/api-keys`, { environment })
    const endpoint = await post(`/merchants/${id}/webhooks`, { url: endpointUrl, environment })
    places.push({
      environment,
      merchantId: String(id),
      apiKeyId: String(key.id),
      key: String(key.secret),
      endpointId: String(endpoint.id)
    })
  }
  return places
}

export const newDesk = async (caller: Caller, operator: string, receiverUrl: string): Promise<TemplateDesk> => {
  const [place] = await newMerchant(caller, operator, "Template Shop", receiverUrl, ["TEST"])
  if (place === undefined) throw new Error("no merchant")
  const calls = new Map([place.key, operator].map((bearer) => [bearer, 0]))
  const as = (bearer: string): Asking => {
    return (method, path, body, status = method === "POST" ? 201 : 200) => {
      const made = (calls.get(bearer) ?? 0) + 1
      calls.set(bearer, made)
      return caller.json({ method, path, bearer, body, idempotencyKey: `scale-${place.merchantId}-${made}` }, status)
    }
  }
  const asMerchant = as(place.key)
  const called = () => calls.get(place.key) ?? 0
  const person = { display_name: "Ada Okafor", country: "NG", email: "ada@person.example", phone_verified: true }
  const { serviceId, userId } = await asMerchant("POST", "/v1/test-helpers/consumers", person)
  return {
    ...place,
    userId: String(userId),
    serviceId: String(serviceId),
    asMerchant,
    asOperator: as(operator),
    called
  }
}
