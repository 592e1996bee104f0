import { NGN } from "@surety/core/Currency"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { Consumers } from "@surety/core/consumer/Consumers"
import type { Environment } from "@surety/core/Environment"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { Ledger } from "@surety/core/ledger/Ledger"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Overview } from "@surety/core/overview/Overview"
import { Payments } from "@surety/core/payment/Payments"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { Readiness } from "@surety/core/Readiness"
import { Refunds } from "@surety/core/refund/Refunds"
import { RefundTimelines } from "@surety/core/refund/RefundTimelines"
import { DateTime, Effect, Option } from "effect"
import type { SimulatedServices } from "../world/Cluster.js"
import type { Draw } from "../world/Draw.js"
import { personOf, type Scene } from "./Scene.js"

const page = { limit: 5, cursor: undefined }

/** Maximum number of records to count. No story has that many. */
const countedTo = 10_000

/**
 * Builds a read that is not among the `lists` of `ReadActs.ts`. If the read returns a list, each item with an
 * `environment` must have the scope's. Returns `undefined` if there is nothing to read.
 */
export type Look = (
  scope: MerchantScope,
  scene: Scene,
  draw: Draw
) => Effect.Effect<unknown, unknown, SimulatedServices> | undefined

const listed = <A>(found: { readonly data: ReadonlyArray<A> }): ReadonlyArray<A> => found.data

const newest = <A extends { readonly environment: Environment }>(
  records: Iterable<A>,
  { environment }: MerchantScope,
  draw: Draw
): A | undefined => {
  const found = [...records].filter((record) => record.environment === environment).slice(-4)
  return found.length === 0 ? undefined : draw.pick(found)
}

/** The act `oversee` picks one of these reads. Each act in `oversights` makes one of them. */
export const looks: ReadonlyArray<readonly [name: string, look: Look]> = [
  [
    "requests that wait",
    ({ environment }) =>
      Effect.map(
        Effect.flatMap(DataRequests, (all) => all.listPending(environment, page)),
        listed
      )
  ],
  [
    "requests that were disowned",
    ({ environment }) =>
      Effect.map(
        Effect.flatMap(DataRequests, (all) => all.listDisowned(environment, page)),
        listed
      )
  ],
  [
    "blocks",
    (scope) =>
      Effect.map(
        Effect.flatMap(AskingBlocks, (all) => all.list(scope, page)),
        listed
      )
  ],
  [
    "consumers",
    ({ environment }) =>
      Effect.map(
        Effect.flatMap(Consumers, (all) => all.list(environment, page)),
        listed
      )
  ],
  [
    "linked consumers",
    ({ environment, merchantId }) => Effect.flatMap(Consumers, (all) => all.listLinked(merchantId, environment, page))
  ],
  [
    "deliveries",
    ({ environment }) =>
      Effect.map(
        Effect.flatMap(EventLog, (log) =>
          log.listDeliveries({ environment, status: undefined, merchantId: undefined, endpointId: undefined }, page)
        ),
        listed
      )
  ],
  ["balances", ({ environment }) => Effect.flatMap(Ledger, (ledger) => ledger.balances(environment, page))],
  [
    "a balance",
    ({ environment, merchantId }) =>
      Effect.flatMap(Ledger, (ledger) =>
        ledger.balance({ kind: "SETTLEMENT", environment, currency: NGN, owner: merchantId })
      )
  ],
  [
    "merchants",
    ({ merchantId }) =>
      Effect.flatMap(Merchants, (all) =>
        Effect.all([all.list(page), all.history(merchantId), Effect.option(all.getByExternalId("unknown"))])
      )
  ],
  [
    "payments",
    ({ environment }) =>
      Effect.map(
        Effect.flatMap(Payments, (all) => all.list(environment, page)),
        listed
      )
  ],
  [
    "refunds",
    ({ environment }) => {
      const filter = {
        environment,
        merchantId: undefined,
        status: undefined,
        paymentId: undefined,
        reference: undefined,
        since: undefined,
        until: undefined
      }
      return Effect.map(
        Effect.flatMap(Refunds, (all) => all.listAll(filter, page)),
        listed
      )
    }
  ],
  [
    "verifications",
    ({ environment }) =>
      Effect.map(
        Effect.flatMap(VerificationLog, (log) => log.listAll({ environment, merchantId: undefined }, page)),
        listed
      )
  ],
  [
    "endpoints",
    ({ merchantId }) => Effect.flatMap(WebhookEndpoints, (all) => Effect.all({ endpoints: all.list(merchantId) }))
  ],
  ["the overview", ({ environment }) => Effect.flatMap(Overview, (overview) => overview.read(environment))],
  ["what needs attention", ({ environment }) => Effect.flatMap(Overview, (all) => all.attention(environment))],
  ["troubled endpoints", ({ environment }) => Effect.flatMap(Overview, (all) => all.troubledEndpoints(environment))],
  ["stuck verifications", ({ environment }) => Effect.flatMap(Overview, (all) => all.stuckVerifications(environment))],
  [
    "an account",
    (scope, { world }, draw) => {
      const account = newest(
        [...world.state.accounts.values()].map(({ key }) => key),
        scope,
        draw
      )
      return account && Effect.flatMap(Ledger, (ledger) => ledger.postings(account, page))
    }
  ],
  [
    "an event",
    (_, { world }, draw) => {
      const events = [...world.state.events.values()].slice(-4)
      if (events.length === 0) return undefined
      const { event } = draw.pick(events)
      return Effect.flatMap(EventLog, (log) => Effect.all([log.find(event, event.id), log.deliveries(event, event.id)]))
    }
  ],
  [
    "an endpoint's health",
    (scope, { endpoints }, draw) => {
      const { id } = draw.pick(endpoints)
      return Effect.flatMap(DateTime.now, (now) =>
        Effect.flatMap(EventLog, (log) => log.endpointHealth(scope, id, now, 10))
      )
    }
  ],
  [
    "a refund's story",
    (scope, { world }, draw) => {
      const refund = newest(
        [...world.state.refunds.values()].map((stored) => stored.refund),
        scope,
        draw
      )
      return refund && Effect.flatMap(RefundTimelines, (all) => all.get(refund.environment, refund.id))
    }
  ],
  [
    "a transfer",
    (scope, { world }, draw) => {
      const placed = [...world.state.transfers.values()].map(({ debit, id }) => ({
        environment: debit.environment,
        id
      }))
      const transfer = newest(placed, scope, draw)
      return (
        transfer &&
        Effect.map(
          Effect.flatMap(Ledger, (ledger) => ledger.transfer(transfer.environment, transfer.id)),
          Option.match({ onNone: () => [], onSome: ({ debit }) => [debit] })
        )
      )
    }
  ],
  [
    "what a person asked for",
    (scope, { world }, draw) => {
      const asked = newest(world.state.rightsRequests.values(), scope, draw)
      return (
        asked &&
        Effect.map(
          Effect.flatMap(RightsRequests, (all) => all.get(asked.environment, asked.id)),
          (request) => [request]
        )
      )
    }
  ],
  [
    "the gauges",
    () =>
      Effect.gen(function* () {
        yield* (yield* Readiness).check
        const deliveries = yield* (yield* DeliveryQueue).stats(yield* DateTime.now, countedTo)
        return { deliveries, queued: yield* (yield* HostRequestStore).stats(countedTo) }
      })
  ],
  [
    "a grant's receipts",
    (scope, { world }, draw) => {
      const grant = newest(world.state.grants.values(), scope, draw)
      return grant && Effect.flatMap(ConsentLog, (log) => log.listGrantReceipts(grant, grant))
    }
  ],
  [
    "a link",
    (scope, scene, draw) => {
      const { userId } = personOf(scene, scope, draw)
      return Effect.flatMap(ConsumerStore, (store) => store.isLinked(scope.merchantId, scope.environment, userId))
    }
  ]
]
