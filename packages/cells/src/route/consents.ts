import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { isNameOfPerson } from "@surety/core/consent/admission/OneTimeCodes"
import type { AskingBlock } from "@surety/core/consent/asking/AskingBlock"
import { type ConsentListing, ConsentLog, type LinkedDataRequest } from "@surety/core/consent/ConsentLog"
import { ConsentStore, type ConsentTarget } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import type { ManagementLink } from "@surety/core/consent/link/ManagementLink"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import type { ConsentDecision } from "@surety/core/consent/request/decideConsent"
import type { DataRequestId, GrantId, MerchantId } from "@surety/core/Ids"
import type { Page, PageRequest } from "@surety/core/Page"
import type { StoreError } from "@surety/core/StoreError"
import { Context, DateTime, Effect, Option, Result } from "effect"
import { latestFirst, type Merge, makeMergePages, newestFirst } from "./mergePages.js"
import type { People } from "./People.js"
import type { Router, Stores, Use } from "./Router.js"

const consentsOf = Context.get(ConsentStore)
const logOf = Context.get(ConsentLog)
const upkeepOf = Context.get(ConsentUpkeep)
const linksOf = Context.get(ManagementLinkStore)
const codesOf = Context.get(CodeChallengeStore)

const withoutCell = Option.map(<A>([, found]: readonly [unknown, A]): A => found)

const ownerOf = <A extends { readonly merchantId?: MerchantId | undefined }>({
  merchantId
}: A): MerchantId | undefined => merchantId

/** Builds a function that reads a record in the merchant's cell, or searches every cell if no merchant is given. */
const makeOnTarget =
  ({ of, searchOwn }: Router) =>
  <Id extends DataRequestId | GrantId>({ scope }: ConsentTarget<Id>, operation: string) =>
  <A extends { readonly merchantId: MerchantId }>(
    use: Use<Option.Option<A>>
  ): Effect.Effect<Option.Option<A>, StoreError> =>
    scope === undefined
      ? Effect.map(searchOwn(operation, ownerOf<A>)(use), withoutCell)
      : of(scope.merchantId, operation)(use)

/**
 * Builds a function that changes a record in its merchant's cell. If no merchant is given, the function first looks up
 * the record's merchant.
 */
const makeChanging =
  ({ of, search }: Router) =>
  <Id extends DataRequestId | GrantId>(
    { scope }: ConsentTarget<Id>,
    operation: string,
    find: Use<Option.Option<{ readonly merchantId: MerchantId }>>
  ) =>
  <A>(use: Use<Option.Option<A>>): Effect.Effect<Option.Option<A>, StoreError> =>
    scope === undefined
      ? Effect.flatMap(
          search("ConsentLog.find")(find),
          Option.match({
            onNone: () => Effect.succeedNone,
            onSome: ([, { merchantId }]) => of(merchantId, operation)(use)
          })
        )
      : of(scope.merchantId, operation)(use)

export const consentStore = (router: Router, people: People): ConsentStore["Service"] => {
  const { at, cellOf, of } = router
  const changing = makeChanging(router)
  return {
    request: (lookup, decide) =>
      Effect.gen(function* () {
        const cell = yield* cellOf(lookup.scope.merchantId)
        yield* people.copyByServiceId(cell, lookup.scope.environment, lookup.serviceId)
        return yield* at(cell, "ConsentStore.request")((stores) => consentsOf(stores).request(lookup, decide))
      }),
    // A loaded snapshot names the request's merchant, so no search for the request's cell is needed.
    decide: (target, decide, loaded) => {
      const use: Use<Option.Option<ConsentDecision>> = (stores) => consentsOf(stores).decide(target, decide, loaded)
      const operation = "ConsentStore.decide"
      return loaded === undefined
        ? changing(target, operation, (stores) => logOf(stores).findRequest(target))(use)
        : of(loaded.request.merchantId, operation)(use)
    },
    grant: (lookup, decide) =>
      Effect.gen(function* () {
        const cell = yield* cellOf(lookup.scope.merchantId)
        yield* people.copyByServiceId(cell, lookup.scope.environment, lookup.serviceId)
        return yield* at(cell, "ConsentStore.grant")((stores) => consentsOf(stores).grant(lookup, decide))
      }),
    end: (target, decide) =>
      changing(target, "ConsentStore.end", (stores) => logOf(stores).findGrant(target))((stores) =>
        consentsOf(stores).end(target, decide)
      ),
    block: (block) =>
      Effect.gen(function* () {
        const cell = yield* cellOf(block.merchantId)
        yield* people.copy(cell, block)
        yield* at(cell, "ConsentStore.block")((stores) => consentsOf(stores).block(block))
      }),
    liftBlock: (scope, ...lifted) =>
      of(scope.merchantId, "ConsentStore.liftBlock")((stores) => consentsOf(stores).liftBlock(scope, ...lifted)),
    read: (lookup, decide) =>
      Effect.gen(function* () {
        const cell = yield* cellOf(lookup.scope.merchantId)
        yield* people.copyByServiceId(cell, lookup.scope.environment, lookup.serviceId)
        return yield* at(cell, "ConsentStore.read")((stores) => consentsOf(stores).read(lookup, decide))
      })
  }
}

export const consentLog = (router: Router): ConsentLog["Service"] => {
  const { of, search, searchOwn } = router
  const mergePages = makeMergePages(router)
  const onTarget = makeOnTarget(router)

  const listed = <A>(
    operation: string,
    { merchantId }: ConsentListing,
    merge: Merge<A>,
    page: PageRequest,
    read: (stores: Stores, page: PageRequest) => Effect.Effect<Page<A>, StoreError>
  ) =>
    merchantId === undefined
      ? mergePages(operation, merge, page, read)
      : of(merchantId, operation)((stores) => read(stores, page))

  const byId = newestFirst(({ id }: { readonly id: string }) => id)
  const byRequest = newestFirst(({ request }: LinkedDataRequest) => request.id)
  const byBlock = latestFirst(
    ({ blockedAt }: AskingBlock) => DateTime.toEpochMillis(blockedAt),
    ({ merchantId, userId }: AskingBlock) => `${merchantId} ${userId}`
  )

  return {
    findRequest: (target) => onTarget(target, "ConsentLog.findRequest")((stores) => logOf(stores).findRequest(target)),
    findByToken: (tokenHash) =>
      Effect.map(
        searchOwn(
          "ConsentLog.findByToken",
          ({ request }: LinkedDataRequest) => request.merchantId
        )((stores) => logOf(stores).findByToken(tokenHash)),
        withoutCell
      ),
    listRequests: (listing, filter, page) =>
      listed("ConsentLog.listRequests", listing, byId, page, (stores, part) =>
        logOf(stores).listRequests(listing, filter, part)
      ),
    listPending: (environment, now, page) =>
      mergePages("ConsentLog.listPending", byRequest, page, (stores, part) =>
        logOf(stores).listPending(environment, now, part)
      ),
    listDisowned: (environment, page) =>
      mergePages("ConsentLog.listDisowned", byId, page, (stores, part) =>
        logOf(stores).listDisowned(environment, part)
      ),
    listBlocks: (listing, filter, page) =>
      listed("ConsentLog.listBlocks", listing, byBlock, page, (stores, part) =>
        logOf(stores).listBlocks(listing, filter, part)
      ),
    findGrant: (target) => onTarget(target, "ConsentLog.findGrant")((stores) => logOf(stores).findGrant(target)),
    listGrants: (listing, filter, page) =>
      listed("ConsentLog.listGrants", listing, byId, page, (stores, part) =>
        logOf(stores).listGrants(listing, filter, part)
      ),
    listReads: (listing, filter, page) =>
      listed("ConsentLog.listReads", listing, byId, page, (stores, part) =>
        logOf(stores).listReads(listing, filter, part)
      ),
    lastReads: (grants) =>
      Effect.map(
        Effect.forEach(
          Map.groupBy(grants, ({ merchantId }) => merchantId),
          ([merchantId, theirs]) => of(merchantId, "ConsentLog.lastReads")((stores) => logOf(stores).lastReads(theirs)),
          { concurrency: "unbounded" }
        ),
        (found) => found.flat()
      ),
    listReceipts: (scope, filter, page) =>
      of(scope.merchantId, "ConsentLog.listReceipts")((stores) => logOf(stores).listReceipts(scope, filter, page)),
    listGrantReceipts: (scope, grant) =>
      of(scope.merchantId, "ConsentLog.listGrantReceipts")((stores) => logOf(stores).listGrantReceipts(scope, grant)),
    listPersonReceipts: (listing, userId, page) =>
      listed("ConsentLog.listPersonReceipts", listing, byId, page, (stores, part) =>
        logOf(stores).listPersonReceipts(listing, userId, part)
      ),
    findPersonReceipt: (listing, userId, id) =>
      listing.merchantId === undefined
        ? Effect.map(
            search("ConsentLog.findPersonReceipt")((stores) => logOf(stores).findPersonReceipt(listing, userId, id)),
            withoutCell
          )
        : of(
            listing.merchantId,
            "ConsentLog.findPersonReceipt"
          )((stores) => logOf(stores).findPersonReceipt(listing, userId, id)),
    chainEnd: (scope) => of(scope.merchantId, "ConsentLog.chainEnd")((stores) => logOf(stores).chainEnd(scope)),
    chain: (scope, after, limit) =>
      of(scope.merchantId, "ConsentLog.chain")((stores) => logOf(stores).chain(scope, after, limit)),
    verifiedEnd: (scope) =>
      of(scope.merchantId, "ConsentLog.verifiedEnd")((stores) => logOf(stores).verifiedEnd(scope)),
    keepVerifiedEnd: (scope, end) =>
      of(scope.merchantId, "ConsentLog.keepVerifiedEnd")((stores) => logOf(stores).keepVerifiedEnd(scope, end))
  }
}

export const consentUpkeep = ({ gather, gatherCount, of, search }: Router): ConsentUpkeep["Service"] => {
  const onRequest = (id: DataRequestId, operation: string, use: Use<void>) =>
    Effect.flatMap(
      search("ConsentLog.find")((stores) => logOf(stores).findRequest({ id, scope: undefined })),
      Option.match({ onNone: () => Effect.void, onSome: ([, { merchantId }]) => of(merchantId, operation)(use) })
    )
  return {
    lapsed: (now, limit) =>
      Effect.map(
        gather("ConsentUpkeep.lapsed")(Number.POSITIVE_INFINITY, (stores) =>
          Effect.map(upkeepOf(stores).lapsed(now, limit), (lapsed) => [lapsed])
        ),
        (cells) => ({
          requests: cells.flatMap(({ requests }) => requests).slice(0, limit),
          grants: cells.flatMap(({ grants }) => grants).slice(0, limit)
        })
      ),
    claimNotifications: (claim) =>
      gather("ConsentUpkeep.claimNotifications")(claim.limit, (stores, limit) =>
        upkeepOf(stores).claimNotifications({ ...claim, limit })
      ),
    recordNotified: (id, remindAt) =>
      onRequest(id, "ConsentUpkeep.recordNotified", (stores) => upkeepOf(stores).recordNotified(id, remindAt)),
    putOffNotification: (id, until) =>
      onRequest(id, "ConsentUpkeep.putOffNotification", (stores) => upkeepOf(stores).putOffNotification(id, until)),
    forgetAnswers: (madeBefore, limit) =>
      gatherCount("ConsentUpkeep.forgetAnswers")(limit, (stores, rest) =>
        upkeepOf(stores).forgetAnswers(madeBefore, rest)
      )
  }
}

/**
 * A decision stores its link in the cell of the merchant that made the data request. `keep` stores a link limited to
 * one merchant in that merchant's cell, and any other link in the home cell.
 */
export const managementLinkStore = (
  { at, cellOf, gatherCount, home, search }: Router,
  people: People
): ManagementLinkStore["Service"] => ({
  keep: (link) =>
    Effect.gen(function* () {
      const cell = link.merchantId === undefined ? home : yield* cellOf(link.merchantId)
      yield* people.copy(cell, link)
      return yield* at(cell, "ManagementLinkStore.keep")((stores) => linksOf(stores).keep(link))
    }),
  find: (tokenHash) =>
    Effect.map(
      search("ManagementLinkStore.find")((stores) => linksOf(stores).find(tokenHash)),
      withoutCell
    ),
  forget: (expiredBefore, limit) =>
    gatherCount("ManagementLinkStore.forget")(limit, (stores, rest) => linksOf(stores).forget(expiredBefore, rest))
})

/**
 * A link's codes are in the link's cell. While that cell is down, a change fails instead of beginning with new tries in
 * another cell. A person's count of sent codes is in the home cell.
 */
export const codeChallengeStore = ({ at, gatherCount, home, searchOwn }: Router): CodeChallengeStore["Service"] => ({
  change: (link, decide) =>
    Effect.gen(function* () {
      // A cell that is down does not hide a link in another one. It fails the change only if no cell has the link.
      const cellOfLink = Effect.gen(function* () {
        const asked = yield* Effect.result(
          searchOwn(
            "ConsentLog.findByToken",
            ({ request }: LinkedDataRequest) => request.merchantId
          )((stores) => logOf(stores).findByToken(link))
        )
        if (Result.isSuccess(asked) && Option.isSome(asked.success)) return asked.success.value[0]
        const managed = yield* searchOwn(
          "ManagementLinkStore.find",
          ownerOf<ManagementLink>
        )((stores) => linksOf(stores).find(link))
        if (Option.isSome(managed)) return managed.value[0]
        return Result.isFailure(asked) ? yield* Effect.fail(asked.failure) : home
      })
      const cell = isNameOfPerson(link) ? home : yield* cellOfLink
      return yield* at(cell, "CodeChallengeStore.change")((stores) => codesOf(stores).change(link, decide))
    }),
  forget: (endedBefore, limit) =>
    gatherCount("CodeChallengeStore.forget")(limit, (stores, rest) => codesOf(stores).forget(endedBefore, rest))
})
