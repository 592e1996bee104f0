import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { environmentKey, scopedKey } from "@surety/core/memory/MemoryState"
import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import type { MerchantStatusChange } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import * as Readers from "@surety/testing/consumer/ConsumerReaderLaws"
import * as Consumers from "@surety/testing/consumer/ConsumerStoreLaws"
import * as ApiKeys from "@surety/testing/merchant/ApiKeyStoreLaws"
import * as Merchants from "@surety/testing/merchant/MerchantStoreLaws"
import { Effect, Option } from "effect"
import {
  after,
  answering,
  asking,
  type Broken,
  countingPages,
  faultsOf,
  instead,
  lookingFirst,
  type State
} from "./Fault.js"

/** Returns the change with `from` set to the merchant's current status, so that the store's check of `from` passes. */
const fromAny = (state: State, change: MerchantStatusChange): MerchantStatusChange => {
  const status = state.merchants.get(change.merchantId)?.status
  return status === undefined ? change : { ...change, from: status }
}

const ofMerchants = faultsOf(MerchantStore)

const merchants: ReadonlyArray<Broken> = [
  after(
    ofMerchants("insert", "forgets a merchant's first status change", Merchants.keepsMerchant),
    (state, _, [merchant]) => state.merchantHistory.set(merchant.id, [])
  ),
  instead(
    ofMerchants("transition", "claims to have moved any merchant", Merchants.knowsNoStranger),
    () => () => Effect.succeed(true)
  ),
  instead(
    ofMerchants("insert", "accepts any business code", Merchants.refusesTakenCode),
    (_, state) => (merchant, change) =>
      Effect.sync(() => {
        state.merchants.set(merchant.id, merchant)
        state.merchantHistory.set(merchant.id, [change])
        return true
      })
  ),
  instead(
    ofMerchants("findByExternalId", "finds merchants by external id in any letter case", Merchants.findsByExternalId),
    (_, state) => (externalId) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(
          [...state.merchants.values()].find((one) => one.externalId?.toLowerCase() === externalId.toLowerCase())
        )
      )
  ),
  lookingFirst(
    ofMerchants("insert", "checks the external id before the commit", Merchants.refusesTakenExternalId),
    (state, [{ externalId }]) => [...state.merchants.values()].some((one) => one.externalId === externalId),
    (taken, _, [merchant, change], state) =>
      Effect.sync(() => {
        if (taken) return false
        state.merchants.set(merchant.id, merchant)
        state.merchantHistory.set(merchant.id, [change])
        return true
      })
  ),
  asking(ofMerchants("transition", "moves a merchant from any status", Merchants.movesOnlyFrom), ([change], state) => [
    fromAny(state, change)
  ]),
  lookingFirst(
    ofMerchants("transition", "checks the status before the commit", Merchants.oneTransitionWins),
    (state, [{ from, merchantId }]) => state.merchants.get(merchantId)?.status === from,
    (allowed, transition, [change], state) => (allowed ? transition(fromAny(state, change)) : Effect.succeed(false))
  ),
  instead(ofMerchants("saveSettings", "saves no settings", Merchants.savesSettings), () => () => Effect.succeed(true)),
  asking(
    ofMerchants("saveSettings", "keeps a purpose that was removed", Merchants.savesSettings),
    ([id, { from, to }, at]) => [id, { from, to: { ...from, ...to } }, at]
  ),
  asking(
    ofMerchants("saveSettings", "saves settings over a concurrent change", Merchants.savesOverItsOwn),
    ([id, { from, to }, at], state) => [id, { from: state.merchants.get(id)?.settings ?? from, to }, at]
  ),
  instead(
    ofMerchants("list", "counts rows for a cursor", Merchants.listsNewestFirst),
    (list) => (page, status) => countingPages((all) => list(all, status))(page)
  ),
  asking(ofMerchants("list", "lists merchants of any status", Merchants.listsStatus), ([page]) => [page, undefined])
]

const ofKeys = faultsOf(ApiKeyStore)

const apiKeys: ReadonlyArray<Broken> = [
  answering(ofKeys("findByHash", "caches the merchant's earlier status", ApiKeys.findsByHash), (found) =>
    Option.map(found, (holder) => ({ ...holder, status: "ACTIVE" as const }))
  ),
  after(
    ofKeys("issue", "stores a key although the status forbids it", ApiKeys.issuesOnlyWhileAllowed),
    (state, _, [key]) => state.apiKeys.set(key.hash, key)
  ),
  lookingFirst(
    ofKeys("issue", "checks the merchant's status before the commit", ApiKeys.checksStatusInCommit),
    (state, [key]) => state.merchants.get(key.merchantId)?.status ?? "CLOSED",
    (status, issue, [key, statuses]) => issue(key, statuses.includes(status) ? ["ACTIVE", "SUSPENDED"] : statuses)
  ),
  after(
    ofKeys("revoke", "keeps the time of the last revocation", ApiKeys.revokesOnce),
    (state, _, [, id, revokedAt]) => {
      for (const key of state.apiKeys.values()) if (key.id === id) state.apiKeys.set(key.hash, { ...key, revokedAt })
    }
  ),
  answering(ofKeys("revoke", "revokes a key again", ApiKeys.revokesOnce), (outcome) =>
    outcome === "revoked_before" ? "revoked" : outcome
  ),
  asking(ofKeys("revoke", "revokes any merchant's key", ApiKeys.revokesOnlyOwn), ([merchantId, id, at], state) => [
    [...state.apiKeys.values()].find((key) => key.id === id)?.merchantId ?? merchantId,
    id,
    at
  ]),
  answering(ofKeys("list", "lists keys oldest first", ApiKeys.listsNewestFirst), (keys) => keys.toReversed()),
  asking(ofKeys("issue", "forgets a key's scopes", ApiKeys.keepsOptions), ([{ scopes: _, ...key }, statuses]) => [
    key,
    statuses
  ]),
  after(
    ofKeys("rotate", "makes the replaced key last longer", ApiKeys.rotatesWithOverlap),
    (state, _, [{ replaced, until }]) => {
      for (const key of state.apiKeys.values()) {
        if (key.id === replaced) state.apiKeys.set(key.hash, { ...key, expiresAt: until })
      }
    }
  ),
  instead(
    ofKeys("rotate", "replaces a key that is not in force", ApiKeys.rotatesOnlyInForce),
    (_, __, { issue }) =>
      ({ next }, statuses) =>
        issue(next, statuses)
  )
]

const ofConsumers = faultsOf(ConsumerStore)

const consumers: ReadonlyArray<Broken> = [
  instead(
    ofConsumers("findByServiceId", "finds consumers of the other environment", Consumers.keepsConsumer),
    (find) => (environment, serviceId) =>
      Effect.flatMap(find(environment, serviceId), (found) =>
        Option.isSome(found) ? Effect.succeed(found) : find("LIVE", serviceId)
      )
  ),
  after(
    ofConsumers("insert", "links a consumer that it refuses", Consumers.refusesTakenIdentifiers),
    (state, _, [, link]) => {
      if (link !== undefined) state.consumerLinks.set(scopedKey(link, link.userId), link)
    }
  ),
  lookingFirst(
    ofConsumers("insert", "checks the consumer id before the commit", Consumers.oneInsertWins),
    (state, [{ environment, serviceId }]) => state.consumersByServiceId.has(environmentKey(environment, serviceId)),
    (taken, insert, [consumer, link], state) => {
      if (!taken) state.consumersByServiceId.delete(environmentKey(consumer.environment, consumer.serviceId))
      return insert(consumer, link)
    }
  ),
  asking(
    ofConsumers("insert", "forgets a consumer's verification", Consumers.keepsConsumer),
    ([{ kycStatus: _, kycTier: __, ...consumer }, link]) => [consumer, link]
  ),
  answering(ofConsumers("link", "makes a link again", Consumers.linksPerMerchantAndEnvironment), (outcome) =>
    outcome === "linked_before" ? "linked" : outcome
  ),
  instead(
    ofConsumers("isLinked", "forgets a link's environment", Consumers.linksPerMerchantAndEnvironment),
    (isLinked) => (merchantId, _, userId) =>
      Effect.zipWith(
        isLinked(merchantId, "TEST", userId),
        isLinked(merchantId, "LIVE", userId),
        (test, live) => test || live
      )
  ),
  after(
    ofConsumers("unlink", "removes a consumer's links to all merchants", Consumers.unlinksOne),
    (state, _, [, , userId]) => {
      for (const [key, link] of state.consumerLinks) if (link.userId === userId) state.consumerLinks.delete(key)
    }
  ),
  asking(
    ofConsumers("listLinked", "lists the links of LIVE only", Consumers.listsLinkedLastFirst),
    ([merchantId, , page]) => [merchantId, "LIVE" as const, page]
  ),
  instead(
    ofConsumers("listLinked", "counts rows for a cursor of links", Consumers.listsLinkedLastFirst),
    (list) => (merchantId, environment, page) => countingPages((all) => list(merchantId, environment, all))(page)
  ),
  instead(
    ofConsumers("list", "counts rows for a cursor", Consumers.listsNewestFirst),
    (list) => (environment, page) => countingPages((all) => list(environment, all))(page)
  ),
  asking(
    ofConsumers("list", "lists consumers with any e-mail address", Consumers.filtersConsumers),
    ([environment, page, filter]) => [environment, page, { ...filter, email: undefined }]
  ),
  asking(
    ofConsumers("change", "keeps a detail that was removed", Consumers.changesDetails),
    ([before, after, events, grants]) => [before, { ...before, ...after }, events, grants]
  ),
  asking(
    ofConsumers("change", "overwrites a change that it has not read", Consumers.oneChangeWins),
    ([before, after, events, grants], state) => [
      state.consumers.get(environmentKey(before.environment, before.userId)) ?? before,
      after,
      events,
      grants
    ]
  ),
  asking(
    ofConsumers("change", "looks at no grant before it changes details", Readers.tellsEveryReader),
    ([before, after, events], state) => [
      before,
      after,
      events,
      [...state.grants.values()].filter(({ status, userId }) => status === "ACTIVE" && userId === before.userId)
    ]
  ),
  asking(ofConsumers("change", "emits no event of a change", Consumers.tellsChange), ([before, after, , grants]) => [
    before,
    after,
    [],
    grants
  ])
]

export const brokenStores: ReadonlyArray<Broken> = [...merchants, ...apiKeys, ...consumers]
