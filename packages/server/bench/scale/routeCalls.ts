import { randomUUID } from "node:crypto"
import { Api } from "@surety/http/Api"
import { OpenApi } from "effect/http-api"
import type { Call, Caller } from "./Caller.ts"
import type { Records } from "./records.ts"

/** A call to a route. `make` creates the records that the call needs and returns the call. */
export interface RouteCall {
  readonly route: string
  readonly status: number
  readonly make: (desk: RouteDesk) => Promise<Call>
}

/** The client, tokens and records for calls to the server of a store. */
export interface RouteDesk {
  readonly caller: Caller
  readonly operator: string
  /** Token of a second operator, who proposes changes for the first to approve or refuse. */
  readonly proposer: string
  readonly records: Records
}

type Json = Readonly<Record<string, unknown>>

const fields = ["display_name", "email"]
const reason = "Asked for on the telephone."
const purpose = "To deliver what was bought, and to reach the buyer about it."

const asTest = ({ caller, records }: RouteDesk, path: string, body: object = {}, status = 201): Promise<Json> =>
  caller.json({ method: "POST", path, bearer: records.test.key, body, idempotencyKey: randomUUID() }, status)

const asOperator = ({ caller, operator }: RouteDesk, path: string, body: object = {}): Promise<Json> =>
  caller.json({ method: "POST", path, bearer: operator, body, idempotencyKey: randomUUID() }, 201)

const newPerson = async (desk: RouteDesk, linked = true): Promise<string> => {
  const person = { display_name: "Ada Obi", country: "NG", email: "ada@bench.example", phone_verified: true, linked }
  return String((await asTest(desk, "/v1/test-helpers/consumers", person)).serviceId)
}

const askingFor = async (desk: RouteDesk) => ({ service_id: await newPerson(desk), requested_fields: fields, purpose })

const asked = async (desk: RouteDesk): Promise<string> =>
  String((await asTest(desk, "/v1/data-requests", await askingFor(desk))).id)

const granted = async (desk: RouteDesk): Promise<string> => {
  const body = {
    merchantId: desk.records.test.merchantId,
    environment: "TEST",
    serviceId: await newPerson(desk),
    fields
  }
  return String((await asOperator(desk, "/operator/grants", { ...body, purpose, actor: "ada" })).id)
}

const paid = async (desk: RouteDesk, more: object = {}): Promise<string> => {
  const body = { service_id: await newPerson(desk), amount: 2500, reference: randomUUID(), ...more }
  return String((await asTest(desk, "/v1/test-helpers/payments", body)).transactionId)
}

const rightsRequest = async (desk: RouteDesk): Promise<string> => {
  const body = { environment: "TEST", serviceId: await newPerson(desk), kind: "EXPORT" }
  return String((await asOperator(desk, "/operator/rights-requests", body)).id)
}

const proposed = ({ records: { live } }: RouteDesk) => ({
  environment: "LIVE",
  kind: "FUNDING",
  merchantId: live.merchantId,
  amount: 10,
  reason
})

const proposal = async (desk: RouteDesk): Promise<string> =>
  String((await asOperator({ ...desk, operator: desk.proposer }, "/operator/proposals", proposed(desk))).id)

const application = {
  name: "Corner Shop",
  legalName: "Corner Shop Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@corner.example",
  country: "NG",
  businessType: "retail"
}

const newMerchant = async (desk: RouteDesk): Promise<string> =>
  String((await asOperator(desk, "/merchants", application)).id)

const newKey = async (desk: RouteDesk) => {
  const merchantId = await newMerchant(desk)
  const { id } = await asOperator(desk, `/merchants/${merchantId}/api-keys`, { environment: "TEST" })
  return `/merchants/${merchantId}/api-keys/${id}`
}

const newEndpoint = async (desk: RouteDesk) => {
  const merchantId = await newMerchant(desk)
  const { id } = await asOperator(desk, `/merchants/${merchantId}/webhooks`, { url: "https://hooks.example/surety" })
  return `/merchants/${merchantId}/webhooks/${id}`
}

/** A request's body, and its path if that differs from the route's. */
interface Sent {
  readonly path?: string
  readonly body?: object
}

type Make = (desk: RouteDesk) => Sent | Promise<Sent>

const ofPerson =
  (route: string, more: object = {}): Make =>
  async (desk) => ({
    path: route.replace("{serviceId}", await newPerson(desk)),
    body: { environment: "TEST", reason, ...more }
  })

/**
 * Creates a person not linked to the large merchant. Returns that merchant's id and the body of the request that links
 * them, in TEST.
 */
const linkOf = async (desk: RouteDesk) => {
  const serviceId = await newPerson(desk, false)
  return { merchantId: desk.records.test.merchantId, body: { serviceId, environment: "TEST" } }
}

const idIn = (route: string, id: string): string => route.replace(/\{\w+\}/u, id)

const at = (route: string, id: (desk: RouteDesk) => Promise<string>, body?: object): readonly [string, Make] => [
  `POST ${route}`,
  async (desk) => ({ path: idIn(route, await id(desk)), ...(body === undefined ? {} : { body }) })
]

/**
 * Requests for all routes other than GET, by method and path. A request may use the large merchant's records. Other
 * records that it needs are created beforehand.
 */
const changes: ReadonlyMap<string, Make> = new Map<string, Make>([
  ["POST /v1/data-requests", async (desk) => ({ body: await askingFor(desk) })],
  at("/v1/data-requests/{dataRequestId}/cancel", asked),
  ["POST /v1/refunds", async (desk) => ({ body: { transaction_id: await paid(desk), amount: 1000, reason } })],
  [
    "POST /v1/kyc/verifications",
    async (desk) => ({
      body: {
        service_id: await newPerson(desk),
        kind: "bvn",
        id: "22222222222",
        verification_consent: true,
        validation: { first_name: "Ada", last_name: "Okafor", date_of_birth: "1990-01-01" }
      }
    })
  ],
  at(
    "/v1/kyc/verifications/{reference}/code",
    async (desk) => {
      const number = { kind: "bvn", id: "66666666666", verification_consent: true }
      const begun = await asTest(desk, "/v1/kyc/verifications", { service_id: await newPerson(desk), ...number })
      return String(begun.reference ?? begun.id)
    },
    { code: "123456" }
  ),
  ["POST /v1/events/{eventId}/resend", ({ records }) => ({ path: `/v1/events/${records.testEventId}/resend` })],
  ["POST /v1/test-helpers/consumers", () => ({ body: { display_name: "Ada Obi" } })],
  [
    "POST /v1/test-helpers/payments",
    async (desk) => ({ body: { service_id: await newPerson(desk), amount: 2500, reference: randomUUID() } })
  ],
  at("/v1/test-helpers/payments/{transactionId}/settle", (desk) => paid(desk, { settled: false })),
  at(
    "/v1/test-helpers/refunds/{refundId}/settle",
    async (desk) => {
      const transactionId = await paid(desk, { refund_outcome: "pending" })
      const body = { transaction_id: transactionId, amount: 1000, reason }
      return String((await asTest(desk, "/v1/refunds", body, 503)).refundId)
    },
    { outcome: "completed" }
  ),
  at("/v1/test-helpers/data-requests/{dataRequestId}/approve", asked),
  at("/v1/test-helpers/data-requests/{dataRequestId}/deny", asked),
  at("/v1/test-helpers/data-requests/{dataRequestId}/expire", asked),
  at("/v1/test-helpers/grants/{grantId}/revoke", granted),
  at("/v1/test-helpers/grants/{grantId}/expire", granted),
  ["POST /v1/test-helpers/merchant", () => ({ body: { refundsEnabled: true } })],
  ["POST /v1/test-helpers/clock", () => ({ body: { advance_seconds: 1 } })],
  ["POST /merchants", () => ({ body: application })],
  at("/merchants/{merchantId}/api-keys", newMerchant, { environment: "TEST" }),
  [
    "POST /merchants/{merchantId}/api-keys/{apiKeyId}/rotate",
    async (desk) => ({ path: `${await newKey(desk)}/rotate`, body: {} })
  ],
  ["DELETE /merchants/{merchantId}/api-keys/{apiKeyId}", async (desk) => ({ path: await newKey(desk) })],
  at("/merchants/{merchantId}/webhooks", newMerchant, { url: "https://hooks.example/surety" }),
  [
    "PATCH /merchants/{merchantId}/webhooks/{endpointId}",
    async (desk) => ({ path: await newEndpoint(desk), body: { maxPerSecond: 10 } })
  ],
  ["DELETE /merchants/{merchantId}/webhooks/{endpointId}", async (desk) => ({ path: await newEndpoint(desk) })],
  [
    "POST /merchants/{merchantId}/webhooks/{endpointId}/rotate-secret",
    async (desk) => ({ path: `${await newEndpoint(desk)}/rotate-secret`, body: {} })
  ],
  [
    "POST /merchants/{merchantId}/webhooks/{endpointId}/test",
    async (desk) => ({ path: `${await newEndpoint(desk)}/test`, body: { topic: "refund.completed" } })
  ],
  [
    "POST /merchants/{merchantId}/webhooks/{endpointId}/recover",
    ({ records: { live } }) => ({
      path: `/merchants/${live.merchantId}/webhooks/${live.endpointId}/recover`,
      body: { since: new Date(Date.now() - 60_000).toISOString() }
    })
  ],
  [
    "PATCH /operator/merchants/{merchantId}",
    ({ records: { live } }) => ({ path: `/operator/merchants/${live.merchantId}`, body: { purpose } })
  ],
  at("/operator/merchants/{merchantId}/status", newMerchant, { status: "ACTIVE", reason }),
  [
    "POST /operator/merchants/{merchantId}/links",
    async (desk) => {
      const { body, merchantId } = await linkOf(desk)
      return { path: `/operator/merchants/${merchantId}/links`, body }
    }
  ],
  [
    "DELETE /operator/merchants/{merchantId}/links/{serviceId}",
    async (desk) => ({
      path: `/operator/merchants/${desk.records.test.merchantId}/links/${await newPerson(desk)}?environment=TEST`
    })
  ],
  ["POST /operator/consumers", () => ({ body: { environment: "LIVE", userId: randomUUID(), displayName: "Ada Obi" } })],
  [
    "POST /operator/payments",
    ({ records: { live, serviceId } }) => ({
      body: {
        merchantId: live.merchantId,
        environment: "LIVE",
        serviceId,
        amount: 2500,
        method: "WALLET",
        settled: true
      }
    })
  ],
  at("/operator/data-requests/{dataRequestId}/approve", asked),
  at("/operator/data-requests/{dataRequestId}/deny", asked),
  [
    "POST /operator/grants",
    async (desk) => ({
      body: {
        merchantId: desk.records.test.merchantId,
        environment: "TEST",
        serviceId: await newPerson(desk),
        fields,
        purpose
      }
    })
  ],
  at("/operator/grants/{grantId}/revoke", granted, { reason }),
  [
    "POST /operator/consent-links",
    async (desk) => ({ body: { serviceId: await newPerson(desk), environment: "TEST" } })
  ],
  [
    "DELETE /operator/merchants/{merchantId}/asking-blocks/{serviceId}",
    async (desk) => {
      const serviceId = await newPerson(desk)
      const body = { service_id: serviceId, requested_fields: fields, purpose }
      const { id } = await asTest(desk, "/v1/data-requests", body)
      await asOperator(desk, `/operator/data-requests/${id}/deny`, { reason: "NOT_ME" })
      return { path: `/operator/merchants/${desk.records.test.merchantId}/asking-blocks/${serviceId}?environment=TEST` }
    }
  ],
  [
    "POST /operator/merchants/{merchantId}/events/{eventId}/resend",
    ({ records: { eventId, live } }) => ({
      path: `/operator/merchants/${live.merchantId}/events/${eventId}/resend?environment=LIVE`
    })
  ],
  ["PATCH /operator/consumers/{serviceId}", ofPerson("/operator/consumers/{serviceId}", { displayName: "Ada Eze" })],
  [
    "POST /operator/ledger/transfers",
    ({ records: { live } }) => ({
      body: { kind: "FUNDING", environment: "LIVE", amount: 10, merchantId: live.merchantId, reason }
    })
  ],
  ["POST /operator/people/{serviceId}/export", ofPerson("/operator/people/{serviceId}/export")],
  ["POST /operator/people/{serviceId}/export-page", ofPerson("/operator/people/{serviceId}/export-page")],
  ["POST /operator/people/{serviceId}/rectify", ofPerson("/operator/people/{serviceId}/rectify", { country: "GH" })],
  ["POST /operator/people/{serviceId}/restrict", ofPerson("/operator/people/{serviceId}/restrict")],
  [
    "POST /operator/people/{serviceId}/lift-restriction",
    async (desk) => {
      const path = `/operator/people/${await newPerson(desk)}`
      await asOperator(desk, `${path}/restrict`, { environment: "TEST", reason })
      return { path: `${path}/lift-restriction`, body: { environment: "TEST", reason } }
    }
  ],
  ["POST /operator/people/{serviceId}/erase", ofPerson("/operator/people/{serviceId}/erase")],
  [
    "POST /operator/rights-requests",
    async (desk) => ({ body: { environment: "TEST", serviceId: await newPerson(desk), kind: "EXPORT" } })
  ],
  ["POST /operator/proposals", async (desk) => ({ body: proposed(desk) })],
  at("/operator/proposals/{proposalId}/approve", proposal, { amount: 10, reason }),
  at("/operator/proposals/{proposalId}/refuse", proposal, { reason }),
  at("/operator/rights-requests/{rightsRequestId}/close", rightsRequest, {
    environment: "TEST",
    status: "DONE",
    reason
  })
])

interface Operation {
  readonly responses?: Readonly<Record<string, unknown>>
  readonly parameters?: ReadonlyArray<{ readonly in: string; readonly name: string; readonly required?: boolean }>
}

const successOf = ({ responses }: Operation): number =>
  Number(Object.keys(responses ?? {}).find((status) => status.startsWith("2")))

/**
 * Returns the `make` of a GET route, which fills in values from `records.params`. It uses the TEST key for test
 * helpers, the LIVE key for other routes below `/v1`, and the operator's token for all others.
 */
const read = (path: string, { parameters }: Operation) => {
  const query = (parameters ?? []).filter((parameter) => parameter.in === "query")
  const names = query
    .filter(({ name, required }) => required === true || name === "environment")
    .map(({ name }) => name)
  return async ({ operator, records }: RouteDesk): Promise<Call> => {
    const known = (name: string): string => {
      const value = records.params[name]
      if (value === undefined) throw new Error(`Add "${name}" of GET ${path} to records.ts`)
      return value
    }
    const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(known(name)))
    const search = new URLSearchParams(names.map((name): [string, string] => [name, known(name)]))
    const isSandbox = path.startsWith("/v1/test-helpers/")
    const key = isSandbox ? records.test.key : records.live.key
    return {
      method: "GET",
      path: search.size === 0 ? filled : `${filled}?${search}`,
      bearer: path.startsWith("/v1/") ? key : operator
    }
  }
}

/** A call for every route of the API. Loading this module throws if `changes` lacks a route other than GET. */
export const routeCalls: ReadonlyArray<RouteCall> = Object.entries(OpenApi.fromApi(Api).paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, Operation>>).map(([name, operation]): RouteCall => {
      const method = name.toUpperCase()
      const route = `${method} ${path}`
      const status = successOf(operation)
      if (method === "GET") return { route, status, make: read(path, operation) }
      const change = changes.get(route)
      if (change === undefined) throw new Error(`Say in bench/scale/routeCalls.ts what ${route} is sent`)
      const make = async (desk: RouteDesk): Promise<Call> => {
        const { body, path: own = path } = await change(desk)
        const bearer = path.startsWith("/v1/") ? desk.records.test.key : desk.operator
        const isKeyed = method === "POST"
        return { method, path: own, bearer, body, ...(isKeyed ? { idempotencyKey: randomUUID() } : {}) }
      }
      return { route, status, make }
    })
)
