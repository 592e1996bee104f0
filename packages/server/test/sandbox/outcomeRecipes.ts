import { event, type Recipe, status } from "./Recipe.js"
import { fresh, type Scene, toldReceiver, until } from "./Scene.js"

const waitingRefund = async (s: Scene): Promise<string> =>
  (await s.refundOf({ refund_outcome: "pending" })).body.refundId

const settle = async (s: Scene, outcome: "completed" | "failed") =>
  s.helper(`refunds/${await waitingRefund(s)}/settle`, { outcome })

export const refundStatuses: ReadonlyArray<Recipe> = [
  status("refund", "COMPLETED", "Refund a test payment.", (s) => s.refundOf({})),
  status("refund", "PENDING", 'Make the payment with `"refund_outcome": "pending"`.', async (s) =>
    s.get(`/v1/refunds/${await waitingRefund(s)}`)
  ),
  status("refund", "FAILED", 'Settle a pending one with `"outcome": "failed"`.', (s) => settle(s, "failed"))
]

export const consentStatuses: ReadonlyArray<Recipe> = [
  status("data request", "PENDING", "Ask a person.", async (s) => s.ask(await s.person())),
  status("data request", "APPROVED", "`POST /v1/test-helpers/data-requests/{id}/approve`.", async (s) =>
    s.helper(`data-requests/${(await s.ask(await s.person())).body.id}/approve`)
  ),
  status("data request", "DENIED", "`POST /v1/test-helpers/data-requests/{id}/deny`.", async (s) =>
    s.helper(`data-requests/${(await s.ask(await s.person())).body.id}/deny`)
  ),
  status("data request", "CANCELLED", "`POST /v1/data-requests/{id}/cancel`.", async (s) =>
    s.post(`/v1/data-requests/${(await s.ask(await s.person())).body.id}/cancel`)
  ),
  status(
    "data request",
    "EXPIRED",
    "`POST /v1/test-helpers/data-requests/{id}/expire`, or move the test clock 7 days.",
    async (s) => {
      const clocked = (await s.ask(await s.person())).body.id
      await s.advance(7 * 86_400)
      const later = await s.get(`/v1/data-requests/${clocked}`)
      if (later.body.status !== "EXPIRED") return later
      return s.helper(`data-requests/${(await s.ask(await s.person())).body.id}/expire`)
    }
  ),
  {
    kind: "grant",
    makes: "ACTIVE",
    how: "Approve a data request.",
    run: async (s) => {
      const { serviceId } = await s.approved()
      return (await s.get(`/v1/identity?service_id=${serviceId}`)).status === 200 ? "ACTIVE" : undefined
    }
  },
  status("grant", "REVOKED", "`POST /v1/test-helpers/grants/{id}/revoke`.", async (s) =>
    s.helper(`grants/${(await s.approved()).grantId}/revoke`)
  ),
  status(
    "grant",
    "EXPIRED",
    "`POST /v1/test-helpers/grants/{id}/expire`, or move the test clock to its `expiresAt`.",
    async (s) => s.helper(`grants/${(await s.approved()).grantId}/expire`)
  )
]

/**
 * Builds a recipe that returns the reason in `notApproved` for `display_name`. The person has approved the e-mail
 * address and the country, and `then` runs before the identity is read.
 */
const reason = (makes: string, how: string, then: (s: Scene, serviceId: string) => Promise<unknown>): Recipe => ({
  kind: "not approved",
  makes,
  how,
  run: async (s) => {
    const { serviceId } = await s.approved()
    await then(s, serviceId)
    const { body } = await s.get(`/v1/identity?service_id=${serviceId}&fields=country,display_name`)
    return body.notApproved?.display_name
  }
})

const askName = async (s: Scene, serviceId: string): Promise<string> =>
  (await s.ask(serviceId, { requested_fields: ["display_name"], purpose: fresh("purpose") })).body.id

const grantName = async (s: Scene, serviceId: string): Promise<string> =>
  (await s.helper(`data-requests/${await askName(s, serviceId)}/approve`)).body.grantId

export const notApproved: ReadonlyArray<Recipe> = [
  reason("never_requested", "Read a field that you never asked for.", async () => {}),
  reason("pending", "Ask for the field, and read it before the decision.", askName),
  reason("denied", "Deny a request for it.", async (s, serviceId) =>
    s.helper(`data-requests/${await askName(s, serviceId)}/deny`)
  ),
  reason("expired", "Let its grant expire.", async (s, serviceId) =>
    s.helper(`grants/${await grantName(s, serviceId)}/expire`)
  ),
  reason("revoked", "Revoke its grant.", async (s, serviceId) =>
    s.helper(`grants/${await grantName(s, serviceId)}/revoke`)
  )
]

const ended = async (s: Scene, id: string) => {
  const { body } = await s.verify({ id })
  await s.advance(60)
  return until(
    () => s.get(`/v1/kyc/verifications/${body.reference}`),
    (answer) => answer.body.status !== "PENDING"
  )
}

const failure = (makes: string, how: string, id: string): Recipe => ({
  kind: "failure reason",
  makes,
  how,
  run: async (s) => (await s.verify({ id })).body.failureReason
})

export const kycStatuses: ReadonlyArray<Recipe> = [
  status("verification", "VERIFIED", "BVN `22222222222`; late: `33333333333`.", (s) => ended(s, "33333333333")),
  status("verification", "PENDING", "BVN `33333333333`, for 5 s by the test clock.", (s) =>
    s.verify({ id: "33333333333" })
  ),
  status("verification", "FAILED", "BVN `00000000000`; late: `33333333330`.", (s) => ended(s, "33333333330")),
  status("verification", "ERROR", "BVN `44444444444`; late: `33333333335`.", (s) => ended(s, "33333333335")),
  failure("id_not_found", "BVN `00000000000`.", "00000000000"),
  failure("id_format", "A BVN with a letter: `2222222222A`.", "2222222222A"),
  failure("provider_error", "BVN `44444444444`.", "44444444444")
]

/** Recipes for verifications in which the sandbox requires an action from the holder. */
export const holderActions: ReadonlyArray<Recipe> = [
  status("verification", "REQUIRES_ACTION", "BVN `66666666666` for a code, `77777777777` for a page.", (s) =>
    s.verify({ id: "66666666666" })
  ),
  {
    kind: "failure reason",
    makes: "code_wrong",
    how: "BVN `66666666666`, and three codes other than `123456`.",
    run: async (s) => {
      const path = `/v1/kyc/verifications/${(await s.verify({ id: "66666666666" })).body.reference}`
      for (let tries = 0; tries < 3; tries += 1) await s.post(`${path}/code`, { code: "000000" })
      return (
        await until(
          () => s.get(path),
          (answer) => answer.body.status === "FAILED"
        )
      ).body.failureReason
    }
  }
]

/**
 * Records a payment whose event is delivered to a new endpoint, which responds with the HTTP status `answers`. Polls
 * the delivery until `isWanted` accepts its status, and returns that status. `meanwhile` runs before each poll.
 */
const deliveryOf = async (
  s: Scene,
  answers: number,
  isWanted: (status: string) => boolean,
  meanwhile: () => Promise<unknown> = async () => {}
): Promise<string> => {
  const receiver = await toldReceiver()
  receiver.status = answers
  try {
    await s.endpoint(receiver.url)
    await s.payment()
    // A 410 also creates an event about the disabled endpoint. That event may be the newest by now.
    const events: ReadonlyArray<{ id: string; topic: string }> = (await s.get("/v1/events")).body.data
    const id = events.find(({ topic }) => topic === "transaction.settled")?.id
    const read = async (): Promise<string> => (await s.get(`/v1/events/${id}/deliveries`)).body.data[0].status
    const ask = async () => {
      await meanwhile()
      return read()
    }
    return await until(ask, isWanted)
  } finally {
    receiver.close()
  }
}

export const webhookStatuses: ReadonlyArray<Recipe> = [
  {
    kind: "delivery",
    makes: "PENDING",
    how: "Answer 500: it is sent again.",
    run: (s) => deliveryOf(s, 500, () => true)
  },
  {
    kind: "delivery",
    makes: "DELIVERED",
    how: "Answer 2xx.",
    run: (s) => deliveryOf(s, 204, (found) => found !== "PENDING")
  },
  {
    kind: "delivery",
    makes: "FAILED",
    how: "Answer 500 to all five attempts; move the test clock an hour between them.",
    run: (s) =>
      deliveryOf(
        s,
        500,
        (found) => found !== "PENDING",
        () => s.advance(3600)
      )
  },
  {
    kind: "endpoint",
    makes: "DISABLED",
    how: "Answer 410.",
    run: async (s) => {
      await deliveryOf(s, 410, (found) => found !== "PENDING")
      const { body } = await s.request(`/merchants/${s.merchantId}/webhooks`, { method: "GET" })
      return body.data[0].status
    }
  }
]

export const topics: ReadonlyArray<Recipe> = [
  event("transaction.settled", "Create a test payment.", (s) => s.payment()),
  event("refund.completed", "Refund it, or settle a pending refund as completed.", (s) => settle(s, "completed")),
  event("merchant.identity.consent_granted", "Approve a data request.", (s) => s.approved()),
  event("merchant.identity.request.approved", "Approve a data request.", (s) => s.approved()),
  event("merchant.identity.request.denied", "Deny a data request.", async (s) =>
    s.helper(`data-requests/${(await s.ask(await s.person())).body.id}/deny`)
  )
]

/** Recipes for opt-in topics. Each recipe is used only if its topic exists. */
export const optInTopics: ReadonlyArray<Recipe> = [
  event("merchant.identity.consent_revoked", "Revoke a grant.", async (s) =>
    s.helper(`grants/${(await s.approved()).grantId}/revoke`)
  ),
  event("merchant.identity.consent_expired", "Let a grant expire.", async (s) =>
    s.helper(`grants/${(await s.approved()).grantId}/expire`)
  ),
  event("merchant.identity.request.expired", "Let a data request expire.", async (s) =>
    s.helper(`data-requests/${(await s.ask(await s.person())).body.id}/expire`)
  ),
  event("kyc.verification.completed", "Verify a person.", (s) => s.verify()),
  event("refund.failed", "Settle a pending refund as failed.", (s) => settle(s, "failed")),
  event("endpoint.disabled", "Answer 410 at one of two endpoints.", async (s) => {
    const other = await toldReceiver()
    try {
      await s.endpoint(other.url, { topics: ["transaction.settled"] })
      await deliveryOf(s, 410, (found) => found !== "PENDING")
      await until(s.topics, (known) => known.includes("endpoint.disabled"))
    } finally {
      other.close()
    }
  })
]
