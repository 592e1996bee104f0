import { Predicate } from "effect"

/** A merchant, and the credentials for creating its records through the API. */
export interface Owner {
  readonly merchantId: string
  /** A TEST API key. */
  readonly key: string
  /** Sends a request with `bearer` as its credential and returns the response body. */
  readonly send: (method: string, path: string, bearer: string, body?: object) => Promise<unknown>
  /** An operator token with access to `/merchants…` and `/operator…`. */
  readonly operatorToken: string
}

const textAt = (body: unknown, ...path: ReadonlyArray<string>): string => {
  const value = path.reduce<unknown>((at, name) => (Predicate.hasProperty(at, name) ? at[name] : undefined), body)
  if (typeof value !== "string") throw new Error(`There is no ${path.join(".")} in ${JSON.stringify(body)}`)
  return value
}

const payment = async ({ key, send }: Owner, settled: boolean): Promise<string> => {
  const consumer = await send("POST", "/v1/test-helpers/consumers", key, {})
  const body = { service_id: textAt(consumer, "serviceId"), amount: 2500.5, settled }
  return textAt(await send("POST", "/v1/test-helpers/payments", key, body), "transactionId")
}

const dataRequest = async ({ key, send }: Owner): Promise<string> => {
  const consumer = await send("POST", "/v1/test-helpers/consumers", key, {})
  const body = { service_id: textAt(consumer, "serviceId"), requested_fields: ["display_name"] }
  return textAt(await send("POST", "/v1/data-requests", key, body), "id")
}

/**
 * Functions that make a path parameter's value, by parameter name. The values identify existing records, so that
 * requests are not rejected early.
 */
const makers: Readonly<Record<string, (owner: Owner) => Promise<string>>> = {
  merchantId: async ({ merchantId }) => merchantId,
  apiKeyId: async ({ merchantId, operatorToken, send }) =>
    textAt(await send("POST", `/merchants/${merchantId}/api-keys`, operatorToken, { environment: "TEST" }), "id"),
  endpointId: async ({ merchantId, operatorToken, send }) => {
    const body = { url: "https://shop.example/hooks", environment: "TEST" }
    return textAt(await send("POST", `/merchants/${merchantId}/webhooks`, operatorToken, body), "id")
  },
  transactionId: (owner) => payment(owner, false),
  refundId: async (owner) => {
    // An earlier hostile request may have disabled refunds, so they are enabled again.
    await owner.send("PATCH", `/operator/merchants/${owner.merchantId}`, owner.operatorToken, { refundsEnabled: true })
    await owner.send("POST", "/v1/test-helpers/merchant", owner.key, { refundsEnabled: true })
    const body = { transaction_id: await payment(owner, true), amount: 1 }
    return textAt(await owner.send("POST", "/v1/refunds", owner.key, body), "refundId")
  },
  reference: async ({ key, send }) => {
    const consumer = await send("POST", "/v1/test-helpers/consumers", key, {})
    const subject = { service_id: textAt(consumer, "serviceId"), kind: "bvn", id: "22222222222" }
    const body = { ...subject, verification_consent: true }
    return textAt(await send("POST", "/v1/kyc/verifications", key, body), "reference")
  },
  serviceId: async ({ key, send }) => textAt(await send("POST", "/v1/test-helpers/consumers", key, {}), "serviceId"),
  dataRequestId: dataRequest,
  grantId: async (owner) => {
    const approved = `/v1/test-helpers/data-requests/${await dataRequest(owner)}/approve`
    return textAt(await owner.send("POST", approved, owner.key, {}), "grantId")
  },
  rightsRequestId: async ({ key, operatorToken, send }) => {
    const consumer = await send("POST", "/v1/test-helpers/consumers", key, {})
    const body = { environment: "TEST", serviceId: textAt(consumer, "serviceId"), kind: "EXPORT" }
    return textAt(await send("POST", "/operator/rights-requests", operatorToken, body), "id")
  },
  proposalId: async ({ merchantId, operatorToken, send }) => {
    const body = { environment: "TEST", kind: "FUNDING", merchantId, amount: 1, reason: "To be decided" }
    return textAt(await send("POST", "/operator/proposals", operatorToken, body), "id")
  },
  accountId: async (owner) => {
    await payment(owner, true)
    const books = await owner.send("GET", "/operator/ledger/balances?environment=TEST&limit=1", owner.operatorToken)
    return textAt(books, "data", "0", "id")
  },
  eventId: async (owner) => {
    await payment(owner, true)
    return textAt(await owner.send("GET", "/v1/events", owner.key), "data", "0", "id")
  }
}

/** Makes a value for each named parameter. Throws for a name without an entry in `makers`. */
export const makePathValues = async (
  names: ReadonlyArray<string>,
  owner: Owner
): Promise<Readonly<Record<string, string>>> => {
  const values: Record<string, string> = {}
  for (const name of names) {
    const make = makers[name]
    if (make === undefined) throw new Error(`There is no way to make a {${name}}: add it to the makers of pathValues`)
    values[name] = await make(owner)
  }
  return values
}
