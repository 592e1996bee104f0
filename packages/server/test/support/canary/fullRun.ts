import { Effect } from "effect"
import { applicant, planted, validation } from "./Planted.js"
import { peopleRun } from "./peopleRun.js"
import { type Run, type Say, type Send, type Spoken, speaker } from "./Speaker.js"

const verification = (serviceId: string, kind: string, id: string) => ({
  service_id: serviceId,
  kind,
  id,
  verification_consent: true,
  validation
})

/** Extracts a consent link's token. Unless a code is also required, its bearer can decide instead of the person. */
export const tokenOf = (consentUrl: string): string => consentUrl.slice(consentUrl.lastIndexOf("/") + 1)

/**
 * Provisions a merchant with a TEST and a LIVE key, a rotated key, and an endpoint with a rotated secret in each
 * environment.
 */
const provisioned = Effect.fnUntraced(function* (open: Say, operator: Say, secrets: Run["secrets"], shopUrl: string) {
  const { id } = yield* open("POST", "/merchants", applicant)
  const merchant = `/merchants/${id}`
  const test = yield* open("POST", `${merchant}/api-keys`, { environment: "TEST" })
  yield* operator("POST", `/operator${merchant}/status`, { status: "ACTIVE", reason: "Looks well" })
  yield* operator("PATCH", `/operator${merchant}`, { refundsEnabled: true })
  const live = yield* open("POST", `${merchant}/api-keys`, { environment: "LIVE" })
  const spare = yield* open("POST", `${merchant}/api-keys`, { environment: "TEST" })
  const rotatedKey = yield* open("POST", `${merchant}/api-keys/${spare.id}/rotate`, { overlapSeconds: 60 })
  yield* open("DELETE", `${merchant}/api-keys/${spare.id}`)
  for (const environment of ["TEST", "LIVE"]) {
    const endpoint = yield* open("POST", `${merchant}/webhooks`, { url: shopUrl, environment })
    const path = `${merchant}/webhooks/${endpoint.id}`
    const rotated = yield* open("POST", `${path}/rotate-secret`, { overlapSeconds: 600 })
    yield* open("PATCH", path, { topics: ["refund.completed"] })
    yield* open("PATCH", path, { topics: ["refund.completed", "merchant.identity.consent_granted"] })
    yield* open("POST", `${path}/recover`, { since: "2026-01-01T00:00:00Z" })
    yield* open("POST", `${path}/test`)
    yield* open("GET", path)
    if (environment === "TEST")
      Object.assign(secrets, { webhookSecret: endpoint.secret, rotatedSecret: rotated.secret })
  }
  const unused = yield* open("POST", `${merchant}/webhooks`, { url: `${shopUrl}unused`, environment: "TEST" })
  yield* open("DELETE", `${merchant}/webhooks/${unused.id}`)
  for (const path of [merchant, `${merchant}/api-keys`, `${merchant}/webhooks`]) yield* open("GET", path)
  Object.assign(secrets, { testKey: test.secret, liveKey: live.secret, rotatedKey: rotatedKey.secret })
  return { id: id as string, testKey: test.secret as string, liveKey: live.secret as string }
})

/** A BVN for which the sandbox requires a code from the holder. */
const needsCode = "66666666666"

/** Sends a merchant's TEST requests, which need no platform. */
const sandbox = Effect.fnUntraced(function* (shop: Say, secrets: Run["secrets"]) {
  const person = { display_name: planted.displayName, email: planted.email, country: "NG", phone_verified: true }
  const { serviceId } = yield* shop("POST", "/v1/test-helpers/consumers", person)
  yield* shop("GET", "/v1/whoami")
  const sale = { service_id: serviceId, amount: 2500.5, reference: "order-7" }
  const payment = yield* shop("POST", "/v1/test-helpers/payments", sale)
  const open = yield* shop("POST", "/v1/test-helpers/payments", { service_id: serviceId, amount: 1, settled: false })
  yield* shop("POST", `/v1/test-helpers/payments/${open.transactionId}/settle`)
  const refund = yield* shop("POST", "/v1/refunds", {
    transaction_id: payment.transactionId,
    amount: 10,
    reason: "Torn"
  })
  for (const path of ["/v1/refunds", `/v1/refunds/${refund.refundId}`]) yield* shop("GET", path)
  const slow = yield* shop("POST", "/v1/test-helpers/payments", {
    ...sale,
    reference: "o-8",
    refund_outcome: "pending"
  })
  const pending = yield* shop("POST", "/v1/refunds", { transaction_id: slow.transactionId, amount: 5 })
  yield* shop("POST", `/v1/test-helpers/refunds/${pending.refundId}/settle`, { outcome: "completed" })
  yield* shop("POST", "/v1/test-helpers/merchant", { refundsEnabled: true })
  yield* shop("POST", "/v1/test-helpers/clock", { advance_seconds: 1 })
  yield* shop("GET", "/v1/test-helpers/clock")

  for (const kind of ["bvn", "nin", "vnin", "phone"] as const) {
    yield* shop("POST", "/v1/kyc/verifications", verification(serviceId, kind, planted[kind]))
  }
  const malformed = verification(serviceId, "nin", `${planted.bvn}0`)
  const made = yield* shop("POST", "/v1/kyc/verifications", malformed)
  yield* shop("GET", `/v1/kyc/verifications/${made.reference}`)
  yield* shop("POST", `/v1/kyc/verifications/${made.reference}/code`, { code: planted.code })
  const asking = yield* shop("POST", "/v1/kyc/verifications", verification(serviceId, "bvn", needsCode))
  for (const code of [planted.code, "123456"])
    yield* shop("POST", `/v1/kyc/verifications/${asking.reference}/code`, { code })
  yield* shop("GET", "/v1/kyc/verifications")

  const wish = { service_id: serviceId, requested_fields: ["email", "display_name"] }
  const asked: Array<string> = []
  for (const purpose of [
    "approved",
    "denied",
    "cancelled",
    "by the operator",
    "denied by them",
    "expiring",
    "brief",
    "waiting"
  ]) {
    const { consentUrl, id } = yield* shop("POST", "/v1/data-requests", { ...wish, purpose })
    asked.push(id)
    secrets.testLink = tokenOf(consentUrl)
  }
  const [approved, denied, cancelled, byOperator, deniedByOperator, expiring, brief] = asked
  const grant = yield* shop("POST", `/v1/test-helpers/data-requests/${approved}/approve`, { fields: ["email"] })
  yield* shop("POST", `/v1/test-helpers/data-requests/${denied}/deny`)
  yield* shop("POST", `/v1/data-requests/${cancelled}/cancel`)
  yield* shop("POST", `/v1/test-helpers/data-requests/${expiring}/expire`)
  const short = yield* shop("POST", `/v1/test-helpers/data-requests/${brief}/approve`, { fields: ["display_name"] })
  yield* shop("POST", `/v1/test-helpers/grants/${short.grantId}/expire`)
  for (const path of ["/v1/data-requests", `/v1/data-requests/${approved}`]) yield* shop("GET", path)
  const granted = `/v1/grants/${grant.grantId}`
  for (const path of ["/v1/grants", granted, `${granted}/receipts`]) yield* shop("GET", path)
  yield* shop("GET", `/v1/identity?service_id=${serviceId}`)
  const events = yield* shop("GET", "/v1/events?topic=refund.completed")
  const eventId: string = events.data[0].id
  yield* shop("GET", `/v1/events/${eventId}`)
  yield* shop("GET", "/v1/event-types")
  yield* shop("GET", `/v1/events/${eventId}/deliveries`)
  yield* shop("POST", `/v1/events/${eventId}/resend`, {})
  yield* shop("GET", "/v1/requests")
  const decidedByOperator = { byOperator, deniedByOperator }
  const records = { refundId: refund.refundId as string, grantId: grant.grantId as string }
  return { serviceId: serviceId as string, eventId, ...decidedByOperator, ...records }
})

/** Sends the platform's LIVE requests about a person, a payment and consent, mixed with the merchant's requests. */
const platform = Effect.fnUntraced(function* (
  operator: Say,
  live: Say,
  merchantId: string,
  secrets: Run["secrets"],
  told: Effect.Effect<void>
) {
  const person = { displayName: planted.liveName, email: planted.liveEmail, externalId: planted.externalId }
  const { serviceId } = yield* operator("POST", "/operator/consumers", person)
  yield* operator("POST", `/operator/merchants/${merchantId}/links`, { serviceId })
  yield* operator("POST", "/operator/payments", { merchantId, serviceId, amount: 12 })
  yield* operator("POST", "/operator/consent-links", { serviceId })
  const wish = { service_id: serviceId, requested_fields: ["email", "display_name"], purpose: "Delivery" }
  yield* live("POST", "/v1/data-requests", wish)
  const pending = yield* operator("GET", "/operator/data-requests/pending")
  const { consentUrl } = pending.data[0]
  if (consentUrl !== undefined) secrets.liveLink = tokenOf(consentUrl)
  yield* told
  yield* operator("POST", `/operator/data-requests/${pending.data[0].id}/approve`, { actor: "branch-12" })
  yield* live("GET", `/v1/identity?service_id=${serviceId}`)
  yield* live("POST", "/v1/kyc/verifications", verification(serviceId, "bvn", planted.bvn))
  const given = yield* operator("POST", "/operator/grants", { merchantId, serviceId, fields: ["country"] })
  yield* operator("POST", `/operator/grants/${given.grantId ?? given.id}/revoke`, { reason: "By phone" })
  yield* operator("GET", `/operator/merchants/${merchantId}/links`)
  yield* operator("DELETE", `/operator/merchants/${merchantId}/links/${serviceId}`)
})

const operatorLists = (merchantId: string, eventId: string): ReadonlyArray<string> => [
  "/operator/merchants",
  "/operator/actions",
  `/operator/merchants/${merchantId}/history`,
  "/operator/ledger/balances",
  "/operator/ledger/trial-balance",
  `/operator/merchants/${merchantId}/events/${eventId}/deliveries?environment=TEST`,
  ...["TEST", "LIVE"].flatMap((environment) =>
    [
      "/operator/consumers",
      "/operator/payments",
      "/operator/verifications",
      "/operator/data-requests",
      "/operator/data-requests/pending",
      "/operator/data-requests/disowned",
      "/operator/grants",
      "/operator/identity-reads",
      "/operator/refunds",
      "/operator/rights-requests",
      "/operator/deliveries",
      `/operator/merchants/${merchantId}/receipts`,
      `/operator/merchants/${merchantId}/events`
    ].map((path) => `${path}?environment=${environment}`)
  )
]

/** Sends a confused caller's requests, with personal data in their paths and query strings. */
const confused = Effect.fnUntraced(function* (shop: Say, open: Say) {
  yield* shop("GET", `/v1/kyc/verifications/${planted.bvn}`)
  yield* shop("GET", `/v1/identity?service_id=${planted.email}`)
  yield* shop("GET", `/v1/refunds?bvn=${planted.bvn}`)
  yield* open("GET", `/merchants/${encodeURIComponent(planted.contactEmail)}`)
  yield* open("GET", `/${planted.birthday}/${encodeURIComponent(planted.displayName)}`)
})

/**
 * Calls every route with planted values, as a platform and as its merchant, and creates another merchant's key. `told`
 * waits until the platform has received the first consent link, since a decided request causes no notification.
 */
export const fullRun = Effect.fnUntraced(function* (
  send: Send,
  shopUrl: string,
  told: Effect.Effect<void> = Effect.void
) {
  const spoken: Array<Spoken> = []
  const secrets: Record<string, string> = {}
  const open = speaker(send, spoken, "platform")
  const operator = speaker(send, spoken, "platform", planted.operatorToken)
  const { id, liveKey, testKey } = yield* provisioned(open, operator, secrets, shopUrl)
  const shop = speaker(send, spoken, "merchant", testKey)
  const { byOperator, deniedByOperator, eventId, grantId, refundId, serviceId } = yield* sandbox(shop, secrets)
  yield* operator("POST", `/operator/data-requests/${byOperator}/approve`, { fields: ["email"], actor: "branch-12" })
  yield* operator("POST", `/operator/data-requests/${deniedByOperator}/deny`, { reason: "NOT_ME" })
  const blocks = yield* operator("GET", `/operator/merchants/${id}/asking-blocks?environment=TEST`)
  yield* operator("DELETE", `/operator/merchants/${id}/asking-blocks/${blocks.data[0].serviceId}?environment=TEST`)
  yield* operator("POST", `/operator/merchants/${id}/events/${eventId}/resend?environment=TEST`, {})
  const live = speaker(send, spoken, "merchant", liveKey)
  yield* platform(operator, live, id, secrets, told)
  yield* peopleRun(operator, live, { merchantId: id, testServiceId: serviceId })
  yield* operator("GET", `/operator/refunds/${refundId}`)
  const proposed = { environment: "TEST", kind: "FUNDING", merchantId: id, amount: 50_000, reason: "From the bank" }
  const { id: proposalId } = yield* operator("POST", "/operator/proposals", proposed)
  yield* operator("GET", `/operator/proposals/${proposalId}`)
  yield* operator("GET", "/operator/proposals?environment=TEST")
  yield* operator("POST", `/operator/proposals/${proposalId}/approve`, { amount: 50_000, reason: "By one alone" })
  const second = speaker(send, spoken, "platform", planted.secondOperatorToken)
  yield* second("POST", `/operator/proposals/${proposalId}/approve`, { amount: 50_000, reason: "As the bank says" })
  const { id: wrongId } = yield* operator("POST", "/operator/proposals", { ...proposed, amount: 500 })
  yield* operator("POST", `/operator/proposals/${wrongId}/refuse`, { reason: "Wrong week" })
  yield* shop("POST", `/v1/test-helpers/grants/${grantId}/revoke`)
  for (const path of operatorLists(id, eventId)) yield* operator("GET", path)
  yield* confused(shop, open)

  const other = yield* send("POST", "/merchants", { body: { ...applicant, contactEmail: "someone@else.example" } })
  const issued = yield* send("POST", `/merchants/${other.body.id}/api-keys`, { body: { environment: "TEST" } })
  const run: Run = { spoken, secrets, strangerKey: issued.body.secret }
  return run
})
