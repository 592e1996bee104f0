import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { readSnapshotOf, writeRead } from "@surety/core/memory/consent/MemoryIdentityReads"
import { scopedKey } from "@surety/core/memory/MemoryState"
import * as Terms from "@surety/testing/consent/ConsentTermLaws"
import * as After from "@surety/testing/person/AfterErasureLaws"
import { Effect } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  deciding,
  edit,
  faultsOf,
  instead,
  lookingFirst,
  seeing
} from "./Fault.js"

const fault = faultsOf(ConsentStore)
const ofLog = faultsOf(ConsentLog)

export const brokenStores: ReadonlyArray<Broken> = [
  lookingFirst(
    fault("read", "looks for a one-time grant before the commit", Terms.oneReadOfMany, Terms.oneEndOfMany),
    (state, [lookup]) => readSnapshotOf(state, lookup),
    (snapshot, _, [, decide], state) =>
      Effect.sync(() => {
        const decision = decide(snapshot)
        if (decision._tag === "Execute") writeRead(state, decision.plan)
        return decision
      })
  ),
  deciding(fault("read", "ends no one-time grant", Terms.oneReadOfMany, Terms.lastingGrantsSpareOthers), (decision) =>
    decision._tag === "Execute" ? { ...decision, plan: { ...decision.plan, used: undefined } } : decision
  ),
  instead(
    fault("read", "ends a one-time grant without a receipt", Terms.oneReadOfMany),
    (_, state) => (lookup, decide) =>
      Effect.sync(() => {
        const decision = decide(readSnapshotOf(state, lookup))
        if (decision._tag === "Execute") writeRead(state, decision.plan)
        return decision
      })
  ),
  seeing(fault("read", "takes one-time grants for lasting ones", Terms.lastingGrantsSpareOthers), (seen) => ({
    ...seen,
    grants: seen.grants.map(({ oneTime: _, ...grant }) => grant)
  })),
  after(fault("request", "forgets how long is asked for", Terms.storesTerms), (state, decision) => {
    if (decision._tag !== "Execute") return
    edit(state.dataRequests, decision.plan.request.id, ({ request: { duration: _, ...request }, ...stored }) => ({
      ...stored,
      request
    }))
  }),
  asking(fault("request", "compares no durations", Terms.durationsAreQuestions), ([lookup, decide], state) => {
    const open = [...state.dataRequests.values()].find(({ request }) => request.status === "PENDING")
    return [{ ...lookup, duration: open?.request.duration ?? lookup.duration }, decide]
  }),
  deciding(fault("request", "keeps the first return url", Terms.latestReturnStands), (decision) =>
    decision._tag === "Repeat" ? { ...decision, plan: { ...decision.plan, returnTo: undefined } } : decision
  ),
  seeing(fault("request", "allows no return url", Terms.storesTerms, Terms.latestReturnStands), (seen) => ({
    ...seen,
    returnUrls: []
  })),
  answering(ofLog("listGrantReceipts", "lists only that a grant was given", Terms.receiptsOfGrant), (receipts) =>
    receipts.slice(0, 1)
  ),
  answering(faultsOf(ConsumerStore)("link", "says that it has linked whom it erased", After.linksNoErased), () => true),
  after(fault("block", "blocks for whom it erased", After.blocksForNoErased), (state, _, [block]) =>
    state.askingBlocks.set(scopedKey(block, block.userId), block)
  )
]
