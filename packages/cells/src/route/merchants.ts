import type { MerchantId } from "@surety/core/Ids"
import type { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import type { Merchant } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { RequestStore } from "@surety/core/request/RequestStore"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { SandboxStore } from "@surety/core/sandbox/SandboxStore"
import { Cache, Context, Duration, Effect, Exit, Option } from "effect"
import type { MerchantClaim } from "../directory/CellDirectory.js"
import * as Commit from "./Commit.js"
import { makeMergePages, newestFirst } from "./mergePages.js"
import type { Router } from "./Router.js"

const merchantsOf = Context.get(MerchantStore)
const keysOf = Context.get(ApiKeyStore)
const requestsOf = Context.get(RequestStore)
const sandboxOf = Context.get(SandboxStore)

/**
 * Age at which a claim counts as abandoned if its merchant is not stored. Far longer than a store operation's timeout.
 */
const claimLasts = Duration.minutes(1)

/** Longest time that `insert` pauses for one undecided claim of another merchant before it fails. */
const rivalPatience = Duration.seconds(2)
const rivalPause = Duration.millis(20)
const rivalTries = Duration.toMillis(rivalPatience) / Duration.toMillis(rivalPause)

const keysRemembered = 100_000

const undecided = (operation: string, text: string): StoreError =>
  new StoreError({ operation, reason: new StoreUnavailable({ cause: new Error(text) }) })

/**
 * Builds the store. Its `insert` claims a cell in the directory, stores the merchant in that cell, then confirms the
 * claim.
 */
export const merchantStore = (router: Router): MerchantStore["Service"] => {
  const { at, directory, of, open } = router
  const mergePages = makeMergePages(router)

  /**
   * Waits until another merchant's claim on the code or external id is decided, and confirms or releases that claim.
   * Returns true if the other merchant is stored. Fails if the claim is still undecided after `rivalPatience`.
   */
  const rivalStays = Effect.fnUntraced(function* (by: MerchantId, cell: (typeof open)[number]) {
    for (let attempt = 0; attempt < rivalTries; attempt += 1) {
      const stored = yield* at(cell, "MerchantStore.insert")((stores) => merchantsOf(stores).find(by))
      if (Option.isSome(stored)) {
        yield* directory.confirm(by)
        return true
      }
      const place = yield* directory.find(by)
      if (Option.isNone(place) || (yield* directory.release(by, claimLasts))) return false
      yield* Effect.sleep(rivalPause)
    }
    return yield* Effect.fail(
      undecided("MerchantStore.insert", "Another merchant with the code or external id is being stored")
    )
  })

  const claimOf = ({ businessCode, externalId, id }: Merchant) => ({
    merchantId: id,
    businessCode,
    externalId,
    cells: open
  })

  const released = (id: MerchantId) => Effect.asVoid(directory.release(id, Duration.zero))

  /**
   * Confirms the claim of a stored merchant. If another process has released the claim as abandoned, makes the claim
   * again for the same cell. Fails if another merchant has claimed the code or external id meanwhile.
   */
  const confirmed = Effect.fnUntraced(function* (claim: MerchantClaim) {
    if (yield* directory.confirm(claim.merchantId)) return
    const again = yield* directory.place(claim)
    if (again._tag === "Placed" && (yield* directory.confirm(claim.merchantId))) return
    return yield* Effect.fail(undecided("MerchantStore.insert", "The merchant's claim was lost while it was stored"))
  })

  const insert: MerchantStore["Service"]["insert"] = (merchant, change, event) =>
    Effect.gen(function* () {
      const wanted = claimOf(merchant)
      const cell = yield* Commit.currentCell
      const claim = Option.isSome(cell) ? { ...wanted, cells: [cell.value] as const } : wanted
      const placement = yield* directory.place(claim)
      if (placement._tag === "Placed" && (yield* Commit.stage) === "trial") {
        yield* directory.release(merchant.id, Duration.zero)
      }
      if (placement._tag === "Taken") return false
      if (placement._tag === "Held") {
        return (yield* rivalStays(placement.by, placement.cell)) ? false : yield* insert(merchant, change, event)
      }
      const inCell = at(placement.cell, "MerchantStore.insert")
      const isStored = yield* inCell((stores) => merchantsOf(stores).insert(merchant, change, event))
      if (isStored) {
        yield* Commit.afterwards((isCommitted) =>
          isCommitted ? confirmed({ ...claim, cells: [placement.cell] }) : released(merchant.id)
        )
        return true
      }
      const earlier = yield* inCell((stores) => merchantsOf(stores).find(merchant.id))
      yield* Option.isSome(earlier) ? directory.confirm(merchant.id) : directory.release(merchant.id, Duration.zero)
      return false
    })

  return {
    insert,
    find: (id) => of(id, "MerchantStore.find")((stores) => merchantsOf(stores).find(id)),
    findByExternalId: (externalId) =>
      Effect.flatMap(
        directory.findByExternalId(externalId),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (id) => of(id, "MerchantStore.findByExternalId")((stores) => merchantsOf(stores).find(id))
        })
      ),
    transition: (change, event) =>
      of(change.merchantId, "MerchantStore.transition")((stores) => merchantsOf(stores).transition(change, event)),
    saveSettings: (id, change, at) =>
      of(id, "MerchantStore.saveSettings")((stores) => merchantsOf(stores).saveSettings(id, change, at)),
    history: (id) => of(id, "MerchantStore.history")((stores) => merchantsOf(stores).history(id)),
    list: (page, status) =>
      mergePages(
        "MerchantStore.list",
        newestFirst(({ id }: Merchant) => id),
        page,
        (stores, part) => merchantsOf(stores).list(part, status)
      )
  }
}

/**
 * A key's hash is recorded in the directory before the key is stored in its cell. A hash never passes to another
 * merchant, so its merchant is cached without expiry.
 */
export const apiKeyStore = Effect.fnUntraced(function* ({ cellOf, directory, of }: Router) {
  const holders = yield* Cache.makeWith((hash: ApiKeyHash) => directory.findByKey(hash), {
    capacity: keysRemembered,
    timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? Duration.infinity : Duration.zero)
  })

  const claim = Effect.fnUntraced(function* (hash: ApiKeyHash, merchantId: MerchantId) {
    yield* Commit.writesTo(yield* cellOf(merchantId))
    if (yield* directory.claimKey(hash, merchantId)) return
    return yield* Effect.die(new Error("A key's hash belongs to another merchant"))
  })

  return ApiKeyStore.of({
    issue: (key, statuses) =>
      Effect.andThen(
        claim(key.hash, key.merchantId),
        of(key.merchantId, "ApiKeyStore.issue")((stores) => keysOf(stores).issue(key, statuses))
      ),
    rotate: (rotation, statuses) =>
      Effect.andThen(
        claim(rotation.next.hash, rotation.next.merchantId),
        of(rotation.next.merchantId, "ApiKeyStore.rotate")((stores) => keysOf(stores).rotate(rotation, statuses))
      ),
    findByHash: (hash) =>
      Effect.flatMap(
        Cache.get(holders, hash),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (id) => of(id, "ApiKeyStore.findByHash")((stores) => keysOf(stores).findByHash(hash))
        })
      ),
    list: (merchantId) => of(merchantId, "ApiKeyStore.list")((stores) => keysOf(stores).list(merchantId)),
    revoke: (merchantId, id, at) =>
      of(merchantId, "ApiKeyStore.revoke")((stores) => keysOf(stores).revoke(merchantId, id, at))
  })
})

export const requestStore = ({ at, cellOf, gatherCount, of }: Router): RequestStore["Service"] => ({
  // If a cell is down, still stores the other cells' entries before it fails.
  append: (entries) =>
    Effect.gen(function* () {
      const cells = yield* Effect.forEach(entries, (entry) =>
        Effect.map(cellOf(entry.merchantId), (cell) => ({ cell, entry }))
      )
      const exits = yield* Effect.forEach(
        [...Map.groupBy(cells, ({ cell }) => cell)],
        ([cell, group]) =>
          Effect.exit(
            at(cell, "RequestStore.append")((stores) => requestsOf(stores).append(group.map(({ entry }) => entry)))
          ),
        { concurrency: "unbounded" }
      )
      yield* exits.find(Exit.isFailure) ?? Effect.void
    }),
  list: (scope, filter, page) =>
    of(scope.merchantId, "RequestStore.list")((stores) => requestsOf(stores).list(scope, filter, page)),
  forget: (before, limit) =>
    gatherCount("RequestStore.forget")(limit, (stores, rest) => requestsOf(stores).forget(before, rest))
})

export const sandboxStore = ({ of }: Router): SandboxStore["Service"] => ({
  find: (id) => of(id, "SandboxStore.find")((stores) => sandboxOf(stores).find(id)),
  switchRefunds: (id, enabled) =>
    of(id, "SandboxStore.switchRefunds")((stores) => sandboxOf(stores).switchRefunds(id, enabled)),
  advanceClock: (id, seconds) =>
    of(id, "SandboxStore.advanceClock")((stores) => sandboxOf(stores).advanceClock(id, seconds)),
  lapseRequest: (id, request, at) =>
    of(id, "SandboxStore.lapseRequest")((stores) => sandboxOf(stores).lapseRequest(id, request, at)),
  lapseGrant: (id, grant, at) =>
    of(id, "SandboxStore.lapseGrant")((stores) => sandboxOf(stores).lapseGrant(id, grant, at))
})
