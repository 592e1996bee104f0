import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { IdentityReadDecision } from "@surety/core/consent/read/decideIdentityRead"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { blockIn, blockOn } from "@surety/core/memory/consent/MemoryAsking"
import { requestOf } from "@surety/core/memory/consent/MemoryConsentStore"
import { readSnapshotOf, writeRead } from "@surety/core/memory/consent/MemoryIdentityReads"
import { scopedKey } from "@surety/core/memory/MemoryState"
import * as Blocks from "@surety/testing/consent/block/ConsentBlockLaws"
import * as Terms from "@surety/testing/consent/ConsentTermLaws"
import * as After from "@surety/testing/person/AfterErasureLaws"
import * as Restrictions from "@surety/testing/person/RestrictionLaws"
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

const blocks: ReadonlyArray<Broken> = [
  seeing(
    fault(
      "decide",
      "approves against a block",
      Blocks.nothingAfterNotMe,
      Blocks.personAfterStopAsking,
      Blocks.blocksInTest
    ),
    (snapshot) => ({ ...snapshot, blockedAs: undefined })
  ),
  seeing(
    fault("grant", "grants against a block", Blocks.nothingAfterNotMe, Blocks.noGrantOvertakesNotMe),
    (snapshot) => ({ ...snapshot, blockedAs: undefined })
  ),
  seeing(fault("decide", "takes every block for a person's no", Blocks.personAfterStopAsking), (snapshot) => ({
    ...snapshot,
    blockedAs: snapshot.blockedAs && ("NOT_ME" as const)
  })),
  seeing(fault("grant", "enforces every block in TEST", Blocks.blocksInTest), (snapshot, state, { scope }) => ({
    ...snapshot,
    blockedAs: snapshot.userId && state.askingBlocks.get(scopedKey(scope, snapshot.userId))?.reason
  })),
  instead(
    fault("block", "replaces a block that is in force", Blocks.notMeReplacesStopAsking),
    (_, state) => (block) => Effect.sync(() => state.askingBlocks.set(scopedKey(block, block.userId), block))
  ),
  instead(
    fault("liftBlock", "lifts a block of any reason", Blocks.liftsTheReasonSeen),
    (verb) => (scope, userId, at) => verb(scope, userId, at)
  ),
  instead(
    fault("decide", "trusts the block and the status that the caller read", Blocks.seesStaleBlock),
    (verb) => (target, decide, loaded) =>
      verb(target, (snapshot) => decide({ ...snapshot, ...(loaded && { ...loaded, request: snapshot.request }) }))
  ),
  lookingFirst(
    fault("decide", "reads the block before the commit", Blocks.noGrantOvertakesNotMe),
    (state, [target]) => {
      const request = requestOf(state, target)
      return request && blockOn(state, request)
    },
    (blockedAs, verb, [target, decide]) => verb(target, (snapshot) => decide({ ...snapshot, blockedAs }))
  ),
  lookingFirst(
    fault("grant", "reads the block of a grant before the commit", Blocks.noGrantOvertakesNotMe),
    (state, [lookup]) => {
      const { userId } = readSnapshotOf(state, lookup)
      return userId && blockIn(state, lookup.scope, userId)
    },
    (blockedAs, verb, [lookup, decide]) => verb(lookup, (snapshot) => decide({ ...snapshot, blockedAs }))
  ),
  seeing(fault("decide", "approves for a closed merchant", Blocks.nothingForClosed), (snapshot) => ({
    ...snapshot,
    merchantStatus: "ACTIVE" as const
  })),
  seeing(fault("request", "asks for a closed merchant", Blocks.nothingForClosed), (snapshot) => ({
    ...snapshot,
    merchantStatus: "ACTIVE" as const
  })),
  seeing(fault("grant", "grants to a closed merchant", Blocks.nothingForClosed), (snapshot) => ({
    ...snapshot,
    merchantStatus: "ACTIVE" as const
  }))
]

const terms: ReadonlyArray<Broken> = [
  instead(
    fault("read", "reads whom it saw unrestricted, though they are not", Restrictions.restrictionWins),
    (read) => (lookup, decide) =>
      Effect.suspend(() => {
        let first: IdentityReadDecision | undefined
        return read(lookup, (snapshot) => (first ??= decide(snapshot)))
      })
  ),
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
  answering(
    faultsOf(ConsumerStore)("link", "says that it has linked whom it erased", After.linksNoErased),
    () => "linked_before" as const
  ),
  after(fault("block", "blocks for whom it erased", After.blocksForNoErased), (state, _, [block]) =>
    state.askingBlocks.set(scopedKey(block, block.userId), block)
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...blocks, ...terms]
