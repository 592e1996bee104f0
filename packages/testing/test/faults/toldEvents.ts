import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { append } from "@surety/core/memory/event/MemoryOutbox"
import type { StoredStream } from "@surety/core/memory/MemoryState"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import * as Sequence from "@surety/testing/event/EventSequenceLaws"
import * as OptIn from "@surety/testing/event/OptInTopicLaws"
import * as Feed from "@surety/testing/event/PlatformFeedLaws"
import { Array as Arr, Option } from "effect"
import { after, answering, asking, type Broken, edit, editAll, faultsOf, leaving, type State } from "./Fault.js"

const ofEvents = faultsOf(EventLog)

const sequences: ReadonlyArray<Broken> = [
  answering(ofEvents("list", "lists another sequence than it sends", Sequence.oneSequence), (page) => ({
    ...page,
    data: page.data.map((event) => ({ ...event, sequence: `1${event.sequence}` }))
  })),
  answering(ofEvents("follow", "counts sequences down", Sequence.ascends), (events) =>
    events.map((event) => ({ ...event, sequence: String(1e9 - Number(event.sequence)) }))
  )
]

const topics: ReadonlyArray<Broken> = [
  after(faultsOf(ConsentStore)("end", "emits no event of a grant's end", OptIn.consentEndsAreTold), (state, decision) =>
    Option.exists(decision, (made) => made._tag === "Execute" && state.events.delete(made.plan.event.id))
  ),
  after(
    faultsOf(KycStore)("settle", "emits no event of a verification's end", OptIn.verificationEndsAreTold),
    (state, _, [{ event }]) => event !== undefined && state.events.delete(event.id)
  ),
  leaving(
    faultsOf(RefundStore)("settleFailed", "fails a refund without its event", OptIn.failedRefundsAreTold),
    (state, [{ leased }]) =>
      edit(state.refunds, leased.refund.id, (stored) => ({
        ...stored,
        refund: { ...stored.refund, status: "FAILED" as const }
      }))
  ),
  after(
    faultsOf(DeliveryQueue)(
      "settle",
      "emits an event of an endpoint that stays enabled",
      OptIn.disabledEndpointsAreTold
    ),
    (state, { disabled }, [{ endpoint }, , next]) =>
      !disabled && next._tag === "DisableEndpoint" && next.event && append(state, next.event, endpoint.id)
  ),
  asking(
    faultsOf(WebhookEndpointStore)("replace", "emits no event of a change", OptIn.disablingByHandIsTold),
    ([old, next]) => [old, next]
  )
]

const editStreams = (state: State, change: (stored: StoredStream) => StoredStream): void =>
  editAll(state.platformFeed.streams ?? new Map(), change)

const ofFeed = faultsOf(PlatformFeed)

const feed: ReadonlyArray<Broken> = [
  answering(ofFeed("claim", "sends the newest first", Feed.keepsCommits), (streams) =>
    streams.map((stream) => ({ ...stream, events: Arr.reverse(stream.events) }))
  ),
  after(
    faultsOf(MerchantStore)("insert", "keeps the event of a merchant it did not store", Feed.keepsPlatformTopics),
    (state, stored, [merchant, , event]) => !stored && event && append(state, event, merchant.id)
  ),
  after(
    faultsOf(RefundStore)("settleFailed", "keeps no failed refund for the platform", Feed.keepsConsequences),
    (state) =>
      editStreams(state, (stored) => ({
        ...stored,
        unsent: stored.unsent.filter(({ topic }) => topic !== "refund.failed")
      }))
  ),
  asking(
    faultsOf(RightsRequestStore)("ask", "sends the platform no rights request", Feed.keepsRightsRequests),
    ([request]) => [request]
  ),
  after(
    faultsOf(RightsRequestStore)("ask", "tells the platform of each repetition", Feed.keepsRightsRequests),
    (state, stored, [request, event]) =>
      event && !Option.exists(stored, ({ id }) => id === request.id) && append(state, event, request.id)
  ),
  asking(ofFeed("settle", "ignores the fence of a stream", Feed.oneSenderAStream), ([leased, progress], state) => {
    const fence = state.platformFeed.streams?.get(leased.merchantId ?? "")?.fence
    return [{ ...leased, fence: fence ?? leased.fence }, progress]
  }),
  answering(ofFeed("stats", "counts failing streams as healthy", Feed.goesOn), (stats) => ({
    ...stats,
    healthy: stats.healthy + stats.failing
  })),
  answering(ofFeed("claim", "counts an attempt that begins as failed", Feed.goesOn, Feed.startsAnew), (streams) =>
    streams.map((stream) => ({ ...stream, failures: stream.failures + 1 }))
  ),
  asking(
    ofFeed("settle", "takes an earlier lease for the stream's own", Feed.outdatesLeases),
    ([leased, progress], { platformFeed: { streams } }) => [
      { ...leased, fence: streams?.get(leased.merchantId ?? "")?.fence ?? leased.fence },
      progress
    ]
  ),
  after(ofFeed("settle", "forgets that sending has failed", Feed.goesOn), (state) =>
    editStreams(state, (stored) => ({ ...stored, failures: 0 }))
  )
]

export const brokenStores = [...sequences, ...topics, ...feed]
