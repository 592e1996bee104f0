import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { Array as Arr } from "effect"
import { answering, asking, deciding, faultsOf } from "../../faults/Fault.js"
import { type Mistake, ofStore } from "./Mistake.js"

const consents = faultsOf(ConsentStore)
const consumers = faultsOf(ConsumerStore)
const endpoints = faultsOf(WebhookEndpointStore)
const feed = faultsOf(PlatformFeed)
const merchants = faultsOf(MerchantStore)
const payments = faultsOf(PaymentStore)
const refunds = faultsOf(RefundStore)
const rightsRequests = faultsOf(RightsRequestStore)
const verifications = faultsOf(KycStore)

/**
 * Mistakes in events: facts committed without their event or with a wrong one, and events sent to the platform too
 * early or never.
 */
export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    "told_iff_committed",
    asking(payments("settle", "emits no event of a payment that settles later"), ([plan]) => [
      { ...plan, event: undefined }
    ])
  ),
  ofStore(
    "told_iff_committed",
    deciding(consents("decide", "emits no event of a decision"), (decision) =>
      decision._tag === "Execute" ? { ...decision, plan: { ...decision.plan, events: [] } } : decision
    ),
    "consent"
  ),
  ofStore(
    "told_iff_committed",
    deciding(consents("decide", "emits the event of another decision"), (decision) =>
      decision._tag === "Execute"
        ? {
            ...decision,
            plan: {
              ...decision.plan,
              events: decision.plan.events.map((event) => ({
                ...event,
                topic: "merchant.identity.request.denied" as const
              }))
            }
          }
        : decision
    ),
    "consent"
  ),
  ofStore(
    "told_iff_committed",
    deciding(consents("decide", 'keeps a "not me" from the platform'), (decision) =>
      decision._tag === "Execute" ? { ...decision, plan: { ...decision.plan, platformEvents: [] } } : decision
    ),
    "asking"
  ),
  ofStore(
    "told_iff_committed",
    asking(verifications("settle", "emits no event of a verification's end"), ([progress]) => [
      { ...progress, event: undefined }
    ]),
    "kyc"
  ),
  ofStore(
    "told_iff_committed",
    asking(consumers("change", "tells no merchant of a correction"), ([before, after, , grants]) => [
      before,
      after,
      [],
      grants
    ]),
    "rights"
  ),
  ofStore(
    "told_iff_committed",
    asking(endpoints("replace", "tells nothing of an endpoint that is switched off"), ([before, after]) => [
      before,
      after
    ]),
    "telling"
  ),
  ofStore(
    "told_iff_committed",
    asking(merchants("transition", "keeps a merchant's status from the platform"), ([change]) => [change]),
    "standing"
  ),
  ofStore(
    "told_iff_committed",
    asking(merchants("insert", "keeps a new merchant from the platform"), ([merchant, change]) => [merchant, change]),
    "standing"
  ),
  ofStore(
    "told_iff_committed",
    asking(rightsRequests("ask", "keeps from the platform what a person asks for"), ([request]) => [request]),
    "rights"
  ),
  ofStore(
    "told_iff_committed",
    answering(feed("claim", "sends the platform the newest event first"), (streams) =>
      streams.map((stream) => ({ ...stream, events: Arr.reverse(stream.events) }))
    ),
    "telling"
  ),
  ofStore(
    "told_iff_committed",
    asking(feed("settle", "forgets events that the platform refused"), ([stream, { retryAt }]) => [
      stream,
      { sentThrough: Arr.lastNonEmpty(stream.events), retryAt }
    ]),
    "telling"
  ),
  ofStore(
    "told_iff_committed",
    deciding(refunds("execute", "keeps a pending refund from the platform"), (decision) =>
      decision._tag === "Execute" ? { ...decision, plan: { ...decision.plan, platformEvent: undefined } } : decision
    ),
    "wallet"
  )
]
