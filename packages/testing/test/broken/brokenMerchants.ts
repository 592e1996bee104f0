import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { environmentKey } from "@surety/core/memory/MemoryState"
import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import * as Consumers from "@surety/testing/consumer/ConsumerStoreLaws"
import * as ApiKeys from "@surety/testing/merchant/ApiKeyStoreLaws"
import * as Merchants from "@surety/testing/merchant/MerchantStoreLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, countingPages, lookThenAct } from "./Broken.js"

const merchants: ReadonlyArray<Broken> = [
  broken(
    MerchantStore,
    "forgets how a merchant came to its first status",
    (sound, state) => ({
      insert: (merchant, change) =>
        Effect.tap(sound.insert(merchant, change), () => Effect.sync(() => state.merchantHistory.set(merchant.id, [])))
    }),
    [Merchants.keepsMerchant]
  ),
  broken(
    MerchantStore,
    "says that it moved whoever it was asked to",
    () => ({ transition: () => Effect.succeed(true) }),
    [Merchants.knowsNoStranger]
  ),
  broken(
    MerchantStore,
    "stores merchants whatever their business code",
    (_, state) => ({
      insert: (merchant, change) =>
        Effect.sync(() => {
          state.merchants.set(merchant.id, merchant)
          state.merchantHistory.set(merchant.id, [change])
          return true
        })
    }),
    [Merchants.refusesTakenCode]
  ),
  broken(
    MerchantStore,
    "moves a merchant from whatever status it has",
    (sound, state) => ({
      transition: (change) =>
        Effect.suspend(() => {
          const status = state.merchants.get(change.merchantId)?.status
          return sound.transition(status === undefined ? change : { ...change, from: status })
        })
    }),
    [Merchants.movesOnlyFrom]
  ),
  broken(
    MerchantStore,
    "checks the status before, not when it moves the merchant",
    (sound, state) => ({
      transition: (change) =>
        lookThenAct(
          () => state.merchants.get(change.merchantId)?.status === change.from,
          (allowed) => {
            const status = state.merchants.get(change.merchantId)?.status
            return allowed && status !== undefined
              ? sound.transition({ ...change, from: status })
              : Effect.succeed(false)
          }
        )
    }),
    [Merchants.oneTransitionWins]
  ),
  broken(MerchantStore, "saves no settings", () => ({ saveSettings: () => Effect.succeed(true) }), [
    Merchants.savesSettings
  ]),
  broken(
    MerchantStore,
    "keeps a purpose that was taken away",
    (sound, state) => ({
      saveSettings: (id, settings, at) =>
        sound.saveSettings(id, { ...state.merchants.get(id)?.settings, ...settings }, at)
    }),
    [Merchants.savesSettings]
  ),
  broken(MerchantStore, "counts rows for a cursor", (sound) => ({ list: countingPages(sound.list) }), [
    Merchants.listsNewestFirst
  ])
]

const apiKeys: ReadonlyArray<Broken> = [
  broken(
    ApiKeyStore,
    "remembers the status that the merchant had",
    (sound) => ({
      findByHash: (hash) =>
        Effect.map(
          sound.findByHash(hash),
          Option.map((holder) => ({ ...holder, status: "ACTIVE" }))
        )
    }),
    [ApiKeys.findsByHash]
  ),
  broken(
    ApiKeyStore,
    "stores a key although it says that the status forbids it",
    (sound, state) => ({
      issue: (key, statuses) =>
        Effect.tap(sound.issue(key, statuses), () => Effect.sync(() => state.apiKeys.set(key.hash, key)))
    }),
    [ApiKeys.issuesOnlyWhileAllowed]
  ),
  broken(
    ApiKeyStore,
    "checks the merchant's status before, not in the commit",
    (sound, state) => ({
      issue: (key, statuses) =>
        lookThenAct(
          () => state.merchants.get(key.merchantId)?.status ?? "CLOSED",
          (status) => sound.issue(key, statuses.includes(status) ? ["ACTIVE", "SUSPENDED"] : statuses)
        )
    }),
    [ApiKeys.checksStatusInCommit]
  ),
  broken(
    ApiKeyStore,
    "keeps the time of the last revocation",
    (sound, state) => ({
      revoke: (merchantId, id, at) =>
        Effect.tap(sound.revoke(merchantId, id, at), () =>
          Effect.sync(() => {
            for (const key of state.apiKeys.values()) {
              if (key.id === id) state.apiKeys.set(key.hash, { ...key, revokedAt: at })
            }
          })
        )
    }),
    [ApiKeys.revokesOnce]
  ),
  broken(
    ApiKeyStore,
    "revokes whosever key it is",
    (sound, state) => ({
      revoke: (_, id, at) => {
        const owner = [...state.apiKeys.values()].find((key) => key.id === id)?.merchantId
        return owner === undefined ? Effect.succeed(false) : sound.revoke(owner, id, at)
      }
    }),
    [ApiKeys.revokesOnlyOwn]
  ),
  broken(
    ApiKeyStore,
    "lists keys oldest first",
    (sound) => ({ list: (id) => Effect.map(sound.list(id), (keys) => [...keys].reverse()) }),
    [ApiKeys.listsNewestFirst]
  )
]

const consumers: ReadonlyArray<Broken> = [
  broken(
    ConsumerStore,
    "finds consumers of the other environment",
    (sound) => ({
      findByServiceId: (environment, serviceId) =>
        Effect.flatMap(sound.findByServiceId(environment, serviceId), (found) =>
          Option.isSome(found) ? Effect.succeed(found) : sound.findByServiceId("LIVE", serviceId)
        )
    }),
    [Consumers.keepsConsumer]
  ),
  broken(
    ConsumerStore,
    "links a consumer that it refuses",
    (sound) => ({
      insert: (consumer, link) =>
        Effect.tap(sound.insert(consumer, link), () => (link === undefined ? Effect.void : sound.link(link)))
    }),
    [Consumers.refusesTakenIdentifiers]
  ),
  broken(
    ConsumerStore,
    "checks the service id before, not in the commit",
    (sound, state) => ({
      insert: (consumer, link) => {
        const key = environmentKey(consumer.environment, consumer.serviceId)
        return lookThenAct(
          () => state.consumersByServiceId.has(key),
          (taken) => {
            if (!taken) state.consumersByServiceId.delete(key)
            return sound.insert(consumer, link)
          }
        )
      }
    }),
    [Consumers.oneInsertWins]
  ),
  broken(
    ConsumerStore,
    "forgets a link's environment",
    (sound) => ({
      isLinked: (merchantId, _, userId) =>
        Effect.zipWith(
          sound.isLinked(merchantId, "TEST", userId),
          sound.isLinked(merchantId, "LIVE", userId),
          (test, live) => test || live
        )
    }),
    [Consumers.linksPerMerchantAndEnvironment]
  ),
  broken(
    ConsumerStore,
    "takes a person's links to all merchants away",
    (sound, state) => ({
      unlink: (merchantId, environment, userId) =>
        Effect.tap(sound.unlink(merchantId, environment, userId), () =>
          Effect.sync(() => {
            for (const [key, link] of state.consumerLinks) if (link.userId === userId) state.consumerLinks.delete(key)
          })
        )
    }),
    [Consumers.unlinksOne]
  ),
  broken(
    ConsumerStore,
    "lists the links of both environments",
    (sound) => ({
      listLinked: (merchantId, _, page) => sound.listLinked(merchantId, "LIVE", page)
    }),
    [Consumers.listsLinkedLastFirst]
  ),
  broken(
    ConsumerStore,
    "counts rows for a cursor of links",
    (sound) => ({
      listLinked: (merchantId, environment, page) =>
        countingPages((all) => sound.listLinked(merchantId, environment, all))(page)
    }),
    [Consumers.listsLinkedLastFirst]
  ),
  broken(
    ConsumerStore,
    "counts rows for a cursor",
    (sound) => ({ list: (environment, page) => countingPages((all) => sound.list(environment, all))(page) }),
    [Consumers.listsNewestFirst]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...merchants, ...apiKeys, ...consumers]
