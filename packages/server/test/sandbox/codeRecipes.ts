import { asJson } from "../support/Merchant.js"
import { code, type Recipe } from "./Recipe.js"
import { fresh } from "./Scene.js"

const refunds = "/v1/refunds"
const unknownId = "01m7ztwz6bek1s2brwmm3gb1yy"
const person = "SR1-K7QM-WX4T-A"

/** Recipes for codes that are not specific to refunds, consent, KYC or events. */
export const everywhere: ReadonlyArray<Recipe> = [
  code("missing_api_key", "Send no `Authorization`.", (s) => s.request("/v1/whoami", { method: "GET" })),
  code("invalid_api_key", "Change one character of your key.", (s) =>
    s.request("/v1/whoami", asJson("GET", { bearer: `${s.key.slice(0, -1)}${s.key.endsWith("a") ? "b" : "a"}` }))
  ),
  code("route_not_found", "Call a path that does not exist.", (s) => s.get("/v1/nothing")),
  code("invalid_json", "Send a body that is no JSON.", (s) => s.raw(refunds, "{")),
  code("json_too_deep", "Nest lists 33 deep.", (s) => s.raw(refunds, `${"[".repeat(33)}${"]".repeat(33)}`)),
  code("validation_failed", "Send a field of the wrong type.", (s) => s.refund({ transaction_id: 1 })),
  code("unknown_field", "Misspell a field.", (s) => s.refund({ reference: "order-1", amuont: 1 })),
  code("unknown_parameter", "Send a query parameter that the route does not have.", (s) => s.get("/v1/refunds?page=2")),
  code("invalid_characters", "Send a NUL character in a string.", (s) =>
    s.raw(refunds, '{"reference":"order\\u0000"}')
  ),
  code("body_too_large", "Send more than 256 KiB.", (s) => s.raw(refunds, `{"reason":"${"a".repeat(263_000)}"}`)),
  code("unsupported_media_type", "Send a body without `Content-Type: application/json`.", (s) =>
    s.raw(refunds, "{}", { "content-type": "text/plain" })
  ),
  code("not_acceptable", "Send `Accept: text/html`.", (s) =>
    s.request("/v1/refunds", asJson("GET", { bearer: s.key, headers: { accept: "text/html" } }))
  ),
  code("uri_too_long", "Send a query of more than 4,096 characters.", (s) =>
    s.get(`/v1/refunds?cursor=${"a".repeat(4100)}`)
  ),
  code("idempotency_key_required", "Leave the `Idempotency-Key` out.", (s) =>
    s.request(refunds, asJson("POST", { bearer: s.key, body: { reference: "order-1" } }))
  ),
  code("idempotency_key_invalid", "Send an `Idempotency-Key` of 256 characters.", (s) =>
    s.refund({ reference: "order-1" }, "k".repeat(256))
  ),
  code("rate_limited", "Send more than 200 refunds at once, valid or not.", async (s) => {
    const answers = await Promise.all(Array.from({ length: 320 }, () => s.raw(refunds, "{")))
    return answers.find((answer) => answer.status === 429) ?? s.raw(refunds, "{")
  })
]

export const ofRefunds: ReadonlyArray<Recipe> = [
  code("idempotency_key_reused", "Send another amount with the same `Idempotency-Key`.", async (s) => {
    const { reference } = await s.payment()
    const key = fresh()
    await s.refund({ reference, amount: 1 }, key)
    return s.refund({ reference, amount: 2 }, key)
  }),
  code("payment_identifier_required", "Send neither `transaction_id` nor `reference`.", (s) => s.refund({ amount: 1 })),
  code(
    "payment_identifier_mismatch",
    "Send the `transaction_id` of one payment and the `reference` of another.",
    async (s) =>
      s.refund({ transaction_id: (await s.payment()).transactionId, reference: (await s.payment()).reference })
  ),
  code("payment_not_found", "Send a `reference` that no payment has.", (s) => s.refund({ reference: fresh("none") })),
  code("payment_not_settled", 'Make the payment with `"settled": false`.', (s) => s.refundOf({ settled: false })),
  code("payment_not_refundable", 'Make the payment with `"method": "CARD"`.', (s) => s.refundOf({ method: "CARD" })),
  code("currency_unknown", 'Send `"currency": "XXQ"`.', (s) => s.refundOf({}, { currency: "XXQ" })),
  code("currency_mismatch", "Refund a naira payment in USD.", (s) => s.refundOf({}, { currency: "USD", amount: 1 })),
  code("amount_precision", "Send an amount with three decimals.", (s) => s.refundOf({}, { amount: 1.005 })),
  code("items_amount_mismatch", "Send items that add up to another amount.", (s) =>
    s.refundOf({}, { amount: 5, items: [{ amount: 2 }] })
  ),
  code("amount_exceeds_refundable", "Refund more than the payment's amount.", (s) => s.refundOf({}, { amount: 101 })),
  code("already_refunded", "Refund the payment in full, then again under another key.", async (s) => {
    const { reference } = await s.payment()
    await s.refund({ reference })
    return s.refund({ reference })
  }),
  code("customer_wallet_missing", 'Make the payment with `"refund_outcome": "no_wallet"`.', (s) =>
    s.refundOf({ refund_outcome: "no_wallet" })
  ),
  code("insufficient_settlement_balance", 'Make the payment with `"refund_outcome": "no_balance"`.', (s) =>
    s.refundOf({ refund_outcome: "no_balance" })
  ),
  code("wallet_declined", 'Make the payment with `"refund_outcome": "decline"`.', (s) =>
    s.refundOf({ refund_outcome: "decline" })
  ),
  code(
    "wallet_unavailable",
    'Make the payment with `"refund_outcome": "unavailable"`; the same key then completes. With `pending` it is answered until you settle the refund.',
    (s) => s.refundOf({ refund_outcome: "unavailable" })
  ),
  code("refunds_forbidden", 'Send `{ "refundsEnabled": false }` to `POST /v1/test-helpers/merchant`.', async (s) => {
    await s.helper("merchant", { refundsEnabled: false })
    return s.refundOf({})
  }),
  code("refund_not_found", "Read a refund whose id you made up.", (s) => s.get(`/v1/refunds/refund_${unknownId}`))
]

export const ofConsent: ReadonlyArray<Recipe> = [
  code("consumer_not_found", "Ask for a consumer who does not exist.", (s) => s.ask(person)),
  code("merchant_code_not_accepted", "Send a code that starts with `SRM-`.", (s) => s.ask("SRM-K7QM-WX4T-A")),
  code("return_url_not_allowed", "Ask with a `return_url` that the platform has not allowed you.", async (s) =>
    s.ask(await s.person(), { return_url: "https://elsewhere.example/back" })
  ),
  code("data_request_not_found", "Read a request whose id you made up.", (s) =>
    s.get(`/v1/data-requests/datareq_${unknownId}`)
  ),
  code("data_request_decided", "Cancel a request that was approved.", async (s) =>
    s.post(`/v1/data-requests/${(await s.approved()).requestId}/cancel`)
  ),
  code("consent_required", "Read the identity of a person who approved nothing.", async (s) =>
    s.get(`/v1/identity?service_id=${await s.person()}`)
  ),
  code("grant_not_found", "Revoke a grant whose id you made up.", (s) => s.helper(`grants/grant_${unknownId}/revoke`)),
  code("asked_too_often", 'Ask a person made with `"ask_limits": true` for six different purposes.', async (s) => {
    const serviceId = await s.person({ ask_limits: true })
    for (let asked = 0; asked < 5; asked += 1) await s.ask(serviceId, { purpose: fresh("purpose") })
    return s.ask(serviceId, { purpose: fresh("purpose") })
  }),
  code("asked_recently", 'Ask a person made with `"ask_limits": true`, deny it, and ask the same again.', async (s) => {
    const serviceId = await s.person({ ask_limits: true })
    await s.helper(`data-requests/${(await s.ask(serviceId)).body.id}/deny`)
    return s.ask(serviceId)
  }),
  code(
    "asking_blocked",
    'Ask a person made with `"ask_limits": true`, open `consentUrl` and choose "This is not me"; ask again.',
    async (s) => {
      const serviceId = await s.person({ ask_limits: true })
      const { consentUrl } = (await s.ask(serviceId)).body
      const page = await fetch(consentUrl, { headers: { accept: "text/html" } })
      const cookie = page.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ")
      const html = await page.text()
      const token = /name="guard" value="([^"]+)"/.exec(html)?.[1] ?? ""
      await fetch(consentUrl, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, origin: new URL(consentUrl).origin, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ guard: token, decision: "not_me" })
      })
      return s.ask(serviceId)
    }
  )
]

const verificationOf = async (s: Parameters<Recipe["run"]>[0]) => (await s.verify()).body.reference as string

export const ofKyc: ReadonlyArray<Recipe> = [
  code("subject_required", "Send neither `user_id` nor `service_id`.", (s) => s.verify({ service_id: undefined })),
  code("subject_mismatch", "Send the `user_id` of one person and the `service_id` of another.", async (s) =>
    s.verify({ user_id: (await s.helper("consumers")).body.userId })
  ),
  code("verification_consent_required", 'Send `"verification_consent": false`.', (s) =>
    s.verify({ verification_consent: false })
  ),
  code("linked_user_not_found", 'Verify a person made with `"linked": false`.', async (s) =>
    s.verify({ service_id: await s.person({ linked: false }) })
  ),
  code("verification_not_found", "Read a verification whose reference you made up.", (s) =>
    s.get(`/v1/kyc/verifications/kyc_${unknownId}`)
  ),
  code(
    "code_channel_unknown",
    "Verify BVN `66666666666`, and send its code with a channel that `nextAction` does not have.",
    async (s) => {
      const { reference } = (await s.verify({ id: "66666666666" })).body
      return s.post(`/v1/kyc/verifications/${reference}/code`, { code: "123456", channel: "email" })
    }
  ),
  code("verification_needs_no_action", "Send a code for a verification that is `VERIFIED`.", async (s) =>
    s.post(`/v1/kyc/verifications/${await verificationOf(s)}/code`, { code: "123456" })
  )
]

export const ofEventsAndHelpers: ReadonlyArray<Recipe> = [
  code("event_not_found", "Read an event whose id you made up.", (s) => s.get(`/v1/events/event_${unknownId}`)),
  code("endpoint_not_found", "Resend an event to an endpoint whose id you made up.", async (s) => {
    await s.payment()
    const id: string = (await s.get("/v1/events")).body.data[0].id
    return s.post(`/v1/events/${id}/resend`, { endpoint_id: `endpoint_${unknownId}` })
  }),
  code("payment_already_recorded", "Make two test payments with one `reference`.", async (s) =>
    s.helper("payments", { service_id: await s.person(), amount: 1, reference: (await s.payment()).reference })
  ),
  code("payment_already_settled", "Settle a test payment twice.", async (s) =>
    s.helper(`payments/${(await s.payment()).transactionId}/settle`)
  ),
  code("wallet_balance_too_small", 'Make a payment with `"from_balance": true` for a new person.', async (s) =>
    s.helper("payments", { service_id: await s.person(), amount: 1, from_balance: true })
  ),
  code("refund_not_waiting", "Settle a refund that is completed.", async (s) =>
    s.helper(`refunds/${(await s.refundOf({})).body.refundId}/settle`, { outcome: "completed" })
  ),
  code("test_clock_limit", "Move the test clock 400 days, then one second more.", async (s) => {
    await s.advance(400 * 86_400)
    return s.advance(1)
  })
]

/** Topics that cannot be produced with a TEST key alone, and why. */
export const topicsNotByKey: Readonly<Record<string, string>> = {
  "merchant.identity.data_changed": "The platform corrects a person's details."
}

/** Codes of `/v1` that cannot be produced with a TEST key alone, and why. */
export const notByKey: Readonly<Record<string, string>> = {
  merchant_not_active: "The platform changes a merchant's status.",
  event_archived: "The platform archives months that are over.",
  scope_missing: "It needs a key that was made with scopes.",
  idempotency_in_progress: "It needs a first request that is still at work for 5 s.",
  verification_busy: "It needs a second request while a provider is asked.",
  request_timeout: "It needs a connection so slow that a body takes too long.",
  directory_unavailable: "An outage of the platform's own records.",
  kyc_provider_not_configured: "LIVE only: TEST always has the sandbox.",
  kyc_provider_unavailable: "The sandbox never fails to take a code.",
  internal_error: "A failure of the service.",
  service_unavailable: "An outage of the service's database, or more reads at once than a node allows you."
}
