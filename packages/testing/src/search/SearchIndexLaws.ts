import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import { type SearchedKind, type SearchHit, SearchIndex } from "@surety/core/search/SearchIndex"
import { placedIdOf, searchTerms } from "@surety/core/search/SearchTerms"
import { Effect, type Layer, Option, Redacted } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"

const found = Effect.fnUntraced(function* (text: string, environment: Environment = "LIVE", limit = 5) {
  const index = yield* SearchIndex
  const terms = searchTerms(Redacted.make(text))
  return terms === undefined ? [] : yield* index.find(environment, terms, { limit, countTo: 7 })
})

const hits = Effect.fnUntraced(function* (kind: SearchedKind, text: string, environment: Environment = "LIVE") {
  const groups = yield* found(text, environment)
  return groups.find((group) => group.kind === kind)?.hits ?? []
})

const told = (all: ReadonlyArray<SearchHit>) => all.map(({ by, id }) => `${by} ${id}`)

const place = Effect.fnUntraced(function* (id: string) {
  const index = yield* SearchIndex
  const placed = placedIdOf(Redacted.make(id))
  return placed === undefined ? assert.fail(`${id} is an id`) : yield* index.place(placed)
})

const person = Effect.fnUntraced(function* (environment: Environment, name: string) {
  const consumers = yield* ConsumerStore
  const consumer = {
    ...(yield* FreshConsumer.unstored(environment)),
    displayName: Redacted.make(name),
    email: Redacted.make(`${Fresh.randomText("Zoe")}@example.com`),
    externalId: Fresh.randomText("crm")
  }
  assert.isTrue(yield* consumers.insert(consumer, undefined))
  return consumer
})

export const placesIds = law(
  "places a record by its whole id, in either environment, with whose it is",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
    const { environment, merchantId } = sale.scope
    const endpoint = yield* FreshEndpoint.make(sale.scope)
    const { refund } = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 10n })
    const event = yield* FreshEvent.make({ merchantId, environment: "TEST" }, sale.payment.createdAt)
    const ofSale = { environment, merchantId }
    assertEquals(yield* place(merchantId), Option.some({ kind: "merchant", id: merchantId, merchantId }))
    assertEquals(yield* place(refund.id), Option.some({ kind: "refund", id: refund.id, ...ofSale }))
    assertEquals(yield* place(endpoint.id), Option.some({ kind: "endpoint", id: endpoint.id, ...ofSale }))
    assertEquals(
      yield* place(event.id),
      Option.some({ kind: "event", id: event.id, merchantId, environment: "TEST" as const })
    )
    assertEquals(yield* place(Fresh.refundId(refund.createdAt)), Option.none())
    assertEquals(yield* place(Fresh.merchantId(refund.createdAt)), Option.none())
  })
)

export const placesConsents = law(
  "places a receipt and a read with the person whom they concern",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties("LIVE")
    const { receipt } = yield* ConsentAttempt.given(scope, consumer)
    const { decision } = yield* ConsentAttempt.read(scope, consumer)
    if (decision._tag !== "Execute") return assert.fail("Expected the data to be read")
    const { serviceId } = consumer
    assertEquals(yield* place(receipt.id), Option.some({ kind: "receipt", id: receipt.id, ...scope, serviceId }))
    const { id } = decision.plan.read
    assertEquals(yield* place(id), Option.some({ kind: "identity_read", id, ...scope, serviceId }))
  })
)

export const findsPeople = law(
  "finds people by identifier, user id, external id, whole e-mail and beginning of a name, in their environment only",
  Effect.gen(function* () {
    const name = `Amine ${Fresh.randomText("Ada")}`
    const live = yield* person("LIVE", `${name} Obi`)
    const test = yield* person("TEST", `${name} Eze`)
    const email = Redacted.value(live.email)
    const exact: ReadonlyArray<readonly [string, string]> = [
      ["id", live.serviceId],
      ["id", live.serviceId.toLowerCase()],
      ["id", live.userId],
      ["id", live.externalId],
      ["email", email],
      ["email", email.toUpperCase()],
      ["name", name],
      ["name", ` ${name.toUpperCase()} obi `]
    ]
    for (const [by, text] of exact)
      assert.deepStrictEqual(told(yield* hits("person", text)), [`${by} ${live.serviceId}`], text)
    const [hit] = yield* hits("person", live.serviceId)
    assert.strictEqual(hit?.serviceId, live.serviceId)
    assert.strictEqual(hit?.name === undefined ? undefined : Redacted.value(hit.name), `${name} Obi`)
    assert.deepStrictEqual(told(yield* hits("person", name, "TEST")), [`name ${test.serviceId}`])
    // Case folding outside A to Z depends on the database. A search for a name exactly as written always finds it.
    const written = Fresh.randomText("Ọlá Ẹ̀YỌ́")
    const named = yield* person("LIVE", written)
    assert.deepStrictEqual(told(yield* hits("person", written)), [`name ${named.serviceId}`])
    const none = [
      email.slice(0, -1),
      email.slice(1),
      live.externalId.slice(1),
      name.slice(1),
      `${name} Obi%`,
      "%",
      "_da"
    ]
    for (const text of none) {
      assert.isFalse(
        told(yield* hits("person", text)).some((line) => line.endsWith(live.serviceId)),
        text
      )
    }
  })
)

export const findsMerchants = law(
  "finds merchants by business code, id of the host's and beginning of a name, in both environments",
  Effect.gen(function* () {
    const merchants = yield* MerchantStore
    const unstored = yield* FreshMerchant.unstored()
    const name = Fresh.randomText("Lagos Ride")
    const merchant = {
      ...unstored,
      externalId: Fresh.randomText("shop"),
      profile: { ...unstored.profile, name: `${name} Ltd.` }
    }
    assert.isTrue(yield* merchants.insert(merchant, FreshMerchant.firstChange(merchant)))
    for (const environment of ["LIVE", "TEST"] as const) {
      const code = merchant.businessCode.toLowerCase()
      assert.deepStrictEqual(told(yield* hits("merchant", code, environment)), [`code ${merchant.id}`])
      assert.deepStrictEqual(told(yield* hits("merchant", merchant.externalId, environment)), [`id ${merchant.id}`])
      assert.deepStrictEqual(told(yield* hits("merchant", name.toUpperCase(), environment)), [`name ${merchant.id}`])
    }
    const [hit] = yield* hits("merchant", merchant.businessCode)
    assert.strictEqual(hit?.merchantId, merchant.id)
    assert.strictEqual(hit?.status, merchant.status)
  })
)

export const findsMoney = law(
  "finds payments by id and reference, and refunds by the payment's reference and the merchant's own",
  Effect.gen(function* () {
    const { consumer, payment, scope } = yield* FreshPayment.settled({ amountMinor: 1_000n })
    const merchantReference = Fresh.randomText("rma")
    const { refund } = yield* RefundAttempt.executed(scope, payment, {
      amountMinor: 10n,
      change: (plan) => ({ ...plan, refund: { ...plan.refund, merchantReference } })
    })
    const reference = payment.reference ?? assert.fail("it has one")
    assert.deepStrictEqual(told(yield* hits("payment", payment.id)), [`id ${payment.id}`])
    assert.deepStrictEqual(told(yield* hits("payment", reference)), [`reference ${payment.id}`])
    assert.deepStrictEqual(told(yield* hits("refund", reference)), [`reference ${refund.id}`])
    assert.deepStrictEqual(told(yield* hits("refund", merchantReference)), [`reference ${refund.id}`])
    const [hit] = yield* hits("refund", reference)
    assertEquals(hit, {
      id: refund.id,
      by: "reference",
      at: refund.createdAt,
      merchantId: scope.merchantId,
      serviceId: consumer.serviceId,
      status: "COMPLETED",
      amount: refund.amount
    })
    assert.deepStrictEqual(yield* found(reference, "TEST"), [])
    assert.deepStrictEqual(yield* found(reference.slice(0, -1)), [])
  })
)

export const countsAndOrders = law(
  "returns exact hits first, then the newest, no more than asked for, and counts up to the limit",
  Effect.gen(function* () {
    const name = Fresh.randomText("Chidi")
    const people = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], (count) => person("LIVE", `${name} ${count}`))
    const consumers = yield* ConsumerStore
    const named = { ...(yield* FreshConsumer.unstored("LIVE")), externalId: name }
    yield* consumers.insert({ ...named, createdAt: Fresh.later(named.createdAt, -1_000_000) }, undefined)
    const [group, ...others] = yield* found(name)
    assert.lengthOf(others, 0)
    assert.strictEqual(group?.count, 7, "counted up to seven")
    assert.lengthOf(group?.hits ?? [], 5)
    assert.strictEqual(told(group?.hits ?? [])[0], `id ${named.serviceId}`)
    const ids = new Set<string>(people.map(({ serviceId }) => serviceId))
    assert.isTrue((group?.hits ?? []).slice(1).every(({ by, id }) => by === "name" && ids.has(id)))
    const times = (group?.hits ?? []).slice(1).map(({ at }) => at.epochMilliseconds)
    assert.deepStrictEqual(
      times,
      [...times].sort((a, b) => b - a),
      "the newest first"
    )
    const [counted] = yield* found(`${name} 8`, "LIVE", 0)
    assert.deepStrictEqual(counted, { kind: "person", hits: [], count: 1 })
  })
)

export type SearchIndexPorts =
  | SearchIndex
  | MerchantStore
  | ConsumerStore
  | PaymentStore
  | RefundStore
  | ConsentStore
  | WebhookEndpointStore
  | EventLog
  | DeliveryQueue

export const laws = [placesIds, placesConsents, findsPeople, findsMerchants, findsMoney, countsAndOrders]

export const suite: (adapter: string, layer: Layer.Layer<SearchIndexPorts, unknown>) => void =
  suiteOf<SearchIndexPorts>("SearchIndex", laws)
