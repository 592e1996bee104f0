import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { merchantWithConsumer, type Sending, send } from "../support/Merchant.js"
import { all, asking, listed, paid, persist, refunding, request, tally, verifying } from "../support/Requests.js"
import { audit, layer, ServerPair, sound } from "../support/ServerPair.js"
import type { ServerProcess } from "../support/ServerProcess.js"

const timeoutMillis = 300_000

/** Time within which a revoked key or a merchant's new status takes effect on every server (contracts 3 and 5). */
const knownWithinMillis = 5_000

const scene = Effect.gen(function* () {
  const pair = yield* ServerPair
  const merchant = yield* merchantWithConsumer(pair.first)
  const operator = { bearer: pair.first.operatorToken }
  return { ...pair, servers: [pair.first, pair.second] as const, merchant, operator }
})

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

/**
 * Polls until the response has `status`. Returns the send time of the last request with another status, in milliseconds
 * from the start. Response delays do not count. Only the test's timeout limits the wait.
 */
const millisUntil = Effect.fnUntraced(function* (status: number, server: ServerProcess, path: string, bearer: string) {
  const startedAt = performance.now()
  let lastMillis = 0
  for (;;) {
    const sentMillis = performance.now() - startedAt
    if ((yield* send(server, "GET", path, { bearer })).status === status) return lastMillis
    lastMillis = sentMillis
    yield* Effect.sleep("50 millis")
  }
})

it.layer(layer, { timeout: timeoutMillis, excludeTestServices: true })("Two servers over one database", (it) => {
  it.effect(
    "refund one payment to its last kobo and no further, each key once",
    () =>
      Effect.gen(function* () {
        const { environment, first, merchant, servers } = yield* scene
        const transactionId = yield* paid(first, merchant, 1000)
        // 50 refunds of 30.00, each sent three times to each server. The payment covers 33 of them.
        let givenUp = 0
        const answers = yield* all(
          numbers(150).flatMap((index) =>
            servers.map((server) => {
              const sent = refunding(merchant, transactionId, `mixed-${index % 50}`, 30)
              return Effect.flatMap(request(server, sent), (answer) => {
                if (answer.status !== 503) return Effect.succeed(answer)
                givenUp += 1
                return persist(server, sent)
              })
            })
          )
        )
        const made = answers.filter(({ status }) => status === 201)
        const refused = answers.filter(({ status }) => status !== 201)
        assert.deepStrictEqual(new Set(refused.map(({ body }) => body.code)), new Set(["amount_exceeds_refundable"]))
        assert.strictEqual(made.length, 33 * 6)
        assert.strictEqual(new Set(made.map(({ text }) => text)).size, 33)
        const replays = made.filter(({ headers }) => headers.get("idempotent-replayed") === "true")
        // A request that timed out on a busy machine may have been committed. If so, its key yields only replays.
        assert.isAtMost(made.length - replays.length, 33)
        assert.isAtLeast(made.length - replays.length, 33 - givenUp)
        const records = yield* listed(first, merchant, "/v1/refunds")
        assert.deepStrictEqual(
          new Set(records.map(({ refundId }) => refundId)),
          new Set(made.map(({ body }) => body.refundId))
        )
        const rest = yield* request(first, refunding(merchant, transactionId, "rest", 30))
        assert.deepInclude(rest.body, { code: "amount_exceeds_refundable", refunded: 990, refundable: 10 })
        assert.deepStrictEqual(yield* audit(environment), sound)
      }),
    timeoutMillis
  )

  it.effect(
    "make one record of one key, and answer it alike, byte for byte",
    () =>
      Effect.gen(function* () {
        const { first, merchant, servers } = yield* scene
        const transactionId = yield* paid(first, merchant, 1000)
        const keys = numbers(6).map((index) => `once-${index}`)
        const kinds = {
          "/v1/refunds": (once: string) => refunding(merchant, transactionId, once, 1.5),
          "/v1/data-requests": (once: string) => asking(merchant, once),
          "/v1/kyc/verifications": (once: string) => verifying(merchant, once)
        }
        for (const [path, requestOf] of Object.entries(kinds)) {
          const answers = yield* all(
            keys.flatMap((once) =>
              [...servers, ...servers, ...servers].map((server) => request(server, requestOf(once)))
            )
          )
          assert.deepStrictEqual(tally(answers), { 201: keys.length * 6 }, path)
          assert.strictEqual(new Set(answers.map(({ text }) => text)).size, keys.length, path)
          assert.lengthOf(yield* listed(first, merchant, path), keys.length, path)
        }
      }),
    timeoutMillis
  )

  it.effect(
    "decide a data request once, under concurrent approvals, denials, cancellations and its expiry",
    () =>
      Effect.gen(function* () {
        const { environment, first, merchant, operator, second, sql } = yield* scene
        const requests = yield* all(numbers(12).map((index) => request(first, asking(merchant, `race-${index}`))))
        const own = { bearer: merchant.key }
        for (const [index, { body }] of requests.entries()) {
          if (index >= 8) {
            yield* sql`update surety.data_request set expires_at = created_at + interval '1 millisecond'
            where status = 'PENDING'`
          }
          const answers = yield* all([
            send(first, "POST", `/v1/test-helpers/data-requests/${body.id}/approve`, own),
            send(second, "POST", `/operator/data-requests/${body.id}/approve`, operator),
            send(second, "POST", `/v1/test-helpers/data-requests/${body.id}/deny`, own),
            send(first, "POST", `/operator/data-requests/${body.id}/deny`, operator),
            send(second, "POST", `/v1/data-requests/${body.id}/cancel`, own),
            send(first, "POST", `/v1/data-requests/${body.id}/cancel`, own)
          ])
          const decided = answers.filter(({ status }) => status < 300)
          const [answer] = decided
          const now = yield* send(second, "GET", `/v1/data-requests/${body.id}`, own)
          assert.strictEqual(now.body.status, answer?.body.status ?? "EXPIRED")
          const statuses = new Set(decided.map((one) => one.body.status))
          assert.strictEqual(statuses.size, index >= 8 ? 0 : 1)
          for (const { body: refusal, status } of answers.filter((one) => !decided.includes(one))) {
            assert.deepStrictEqual([status, refusal.code], [409, "data_request_decided"])
          }
        }
        const decisions = yield* listed(first, merchant, "/v1/data-requests")
        const grants = yield* send(
          first,
          "GET",
          `/operator/grants?environment=TEST&merchantId=${merchant.id}`,
          operator
        )
        assert.lengthOf(grants.body.data, decisions.filter(({ status }) => status === "APPROVED").length)
        assert.deepStrictEqual(yield* audit(environment), sound)
      }),
    timeoutMillis
  )

  it.effect(
    "read nothing any more once the other has revoked the grant",
    () =>
      Effect.gen(function* () {
        const { first, merchant, operator, second } = yield* scene
        const identity = `/v1/identity?service_id=${merchant.serviceId}`
        const reading = { bearer: merchant.key }
        for (const round of numbers(5)) {
          const asked = yield* request(first, asking(merchant, `revoked-${round}`))
          const approve = `/v1/test-helpers/data-requests/${asked.body.id}/approve`
          const { body: approved } = yield* send(second, "POST", approve, reading)
          assert.strictEqual((yield* send(first, "GET", identity, reading)).status, 200)
          let revoked = false
          const reads: Array<{ readonly late: boolean; readonly status: number }> = []
          const reader = Effect.gen(function* () {
            for (let after = 0; after < 3; after += 1) {
              const late = revoked
              reads.push({ late, status: (yield* send(second, "GET", identity, reading)).status })
              if (!late) after = 0
            }
          })
          const readers = yield* Effect.forkChild(all(numbers(4).map(() => reader)))
          const revoke = yield* send(first, "POST", `/operator/grants/${approved.grantId}/revoke`, operator)
          revoked = true
          assert.strictEqual(revoke.status, 201)
          yield* Fiber.join(readers)
          const late = reads.filter((read) => read.late)
          assert.isAtLeast(late.length, 4)
          assert.deepStrictEqual(new Set(late.map((read) => read.status)), new Set([403]))
        }
      }),
    timeoutMillis
  )

  it.effect(
    "refuse a revoked key and a suspended merchant's within 5 seconds, on either server",
    () =>
      Effect.gen(function* () {
        const { first, merchant, operator, second } = yield* scene
        const status = `/operator/merchants/${merchant.id}/status`
        yield* send(first, "POST", status, { ...operator, body: { status: "ACTIVE" } })
        const keys = `/merchants/${merchant.id}/api-keys`
        const live = (yield* send(first, "POST", keys, { body: { environment: "LIVE" } })).body.secret as string
        const leaked = (yield* send(first, "POST", keys, { body: { environment: "TEST" } })).body
        const list = "/v1/refunds"
        for (const bearer of [live, leaked.secret]) {
          assert.strictEqual((yield* send(second, "GET", list, { bearer })).status, 200)
        }
        yield* send(first, "DELETE", `${keys}/${leaked.id}`)
        yield* send(first, "POST", status, { ...operator, body: { status: "SUSPENDED", reason: "Under review" } })
        assert.strictEqual((yield* send(first, "GET", list, { bearer: leaked.secret })).status, 401)
        assert.strictEqual((yield* send(first, "GET", list, { bearer: live })).status, 403)
        const waited = yield* all([millisUntil(401, second, list, leaked.secret), millisUntil(403, second, list, live)])
        for (const millis of waited) assert.isBelow(millis, knownWithinMillis)
        assert.strictEqual((yield* send(second, "GET", list, { bearer: merchant.key })).status, 200)
        yield* send(second, "POST", status, { ...operator, body: { status: "CLOSED" } })
        assert.isBelow(yield* millisUntil(403, first, list, merchant.key), knownWithinMillis)
      }),
    timeoutMillis
  )

  it.effect(
    "keep TEST and LIVE apart, under any name of the other's records",
    () =>
      Effect.gen(function* () {
        const { first, merchant, operator, second } = yield* scene
        yield* send(first, "POST", `/operator/merchants/${merchant.id}/status`, {
          ...operator,
          body: { status: "ACTIVE" }
        })
        const keys = `/merchants/${merchant.id}/api-keys`
        const live = (yield* send(first, "POST", keys, { body: { environment: "LIVE" } })).body.secret as string
        const transactionId = yield* paid(first, merchant, 1000)
        const asked = yield* request(first, asking(merchant, "kept-apart"))
        const path = `/v1/test-helpers/data-requests/${asked.body.id}/approve`
        const { body: approved } = yield* send(first, "POST", path, { bearer: merchant.key })
        const inLive = { ...merchant, key: live }
        const refusals = yield* all([
          request(second, refunding(inLive, transactionId, "live", 1)),
          request(second, verifying(inLive, "live")),
          request(second, asking(inLive, "live")),
          send(second, "GET", `/v1/identity?service_id=${merchant.serviceId}`, { bearer: live }),
          send(second, "POST", `/v1/test-helpers/grants/${approved.grantId}/revoke`, { bearer: live }),
          send(second, "POST", `/operator/merchants/${merchant.id}/links`, {
            ...operator,
            body: { serviceId: merchant.serviceId, environment: "LIVE" }
          }),
          send(second, "POST", "/operator/payments", {
            ...operator,
            body: { merchantId: merchant.id, environment: "LIVE", serviceId: merchant.serviceId, amount: 1 }
          }),
          send(second, "POST", "/operator/grants", {
            ...operator,
            body: { merchantId: merchant.id, environment: "LIVE", serviceId: merchant.serviceId, fields: ["email"] }
          })
        ])
        assert.deepStrictEqual(
          refusals.map(({ body }) => body.code),
          [
            "payment_not_found",
            "linked_user_not_found",
            "consumer_not_found",
            "consent_required",
            "route_not_found",
            "consumer_not_found",
            "consumer_not_found",
            "consumer_not_found"
          ]
        )
      }),
    timeoutMillis
  )

  it.effect(
    "keep to unique records and to limits, under concurrent requests",
    () =>
      Effect.gen(function* () {
        const { first, merchant, operator, servers } = yield* scene
        const crowd = (method: string, path: string, sending: (index: number) => Sending) =>
          Effect.map(
            all(numbers(20).flatMap((index) => servers.map((server) => send(server, method, path, sending(index))))),
            (answers) => tally(answers)
          )
        const endpoints = yield* crowd("POST", `/merchants/${merchant.id}/webhooks`, () => ({
          body: { url: "http://127.0.0.1:9/", environment: "TEST" }
        }))
        assert.deepStrictEqual(endpoints, { 201: 16, "409 too_many_endpoints": 24 })

        const asked = { serviceId: merchant.serviceId, merchantId: merchant.id, environment: "TEST" }
        const sale = { ...asked, transactionId: "till-1", amount: 5, settled: false }
        const payments = yield* crowd("POST", "/operator/payments", () => ({ ...operator, body: sale }))
        assert.deepStrictEqual(payments, { 201: 1, "409 payment_already_recorded": 39 })
        const settle = "/v1/test-helpers/payments/till-1/settle"
        const settled = yield* crowd("POST", settle, () => ({ bearer: merchant.key }))
        assert.deepStrictEqual(settled, { 201: 1, "409 payment_already_settled": 39 })
        const events = yield* send(first, "GET", "/v1/events?topic=transaction.settled", { bearer: merchant.key })
        assert.lengthOf(events.body.data, 1)

        const imported = { userId: "person-1", environment: "TEST" }
        const persons = yield* crowd("POST", "/operator/consumers", () => ({ ...operator, body: imported }))
        assert.deepStrictEqual(persons, { 201: 1, "409 user_id_taken": 39 })
      }),
    timeoutMillis
  )
})
