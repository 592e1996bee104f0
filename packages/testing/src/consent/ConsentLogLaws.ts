import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { blockOf } from "@surety/core/consent/asking/AskingBlock"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { controllerOf } from "@surety/core/consent/receipt/Receipt"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { Page, PageRequest } from "@surety/core/Page"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as PageWalk from "../PageWalk.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import type { ConsentStorePorts } from "./ConsentStoreLaws.js"
import * as FreshConsent from "./FreshConsent.js"

const { anyone } = FreshConsent

const ages = [6, 5, 4, 3, 2, 1]

const idsOf = <A extends { readonly id: string }>(rows: ReadonlyArray<A>): ReadonlyArray<string> =>
  rows.map(({ id }) => id)

/**
 * Fails unless a list contains exactly the ids of `expected`, newest first, in pages of several sizes. While `add` adds
 * rows, these ids must keep their order. A malformed cursor must return an empty page.
 */
const expectList = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, StoreError>,
  expected: ReadonlyArray<string>,
  add: Effect.Effect<unknown, E, R>
) {
  for (const limit of [1, 2, 3, 100]) assert.deepStrictEqual(idsOf(yield* PageWalk.all(list, limit)), expected)
  yield* PageWalk.expectNewestFirst(list, ({ id }) => id, expected, add)
  const foreign = yield* list({ limit: 10, cursor: "bm90IGEgY3Vyc29y" })
  assertEquals({ data: [...foreign.data], nextCursor: foreign.nextCursor }, { data: [], nextCursor: undefined })
})

export const listsRequests = law(
  "lists a merchant's requests newest first, all or one person's, in pages that skip and repeat nothing",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties()
    const other = yield* FreshConsent.person(scope.environment)
    const plans = yield* Effect.forEach(ages, (age) =>
      ConsentAttempt.askedAnew(scope, age > 4 ? other : consumer, { at: Fresh.later(now, -age) })
    )
    const ids = plans.map(({ request }) => request.id).reverse()
    const add = ConsentAttempt.askedAnew(scope, consumer)
    yield* expectList((page) => log.listRequests(scope, { userId: other.userId }, page), ids.slice(4), Effect.void)
    yield* expectList((page) => log.listRequests(scope, anyone, page), ids, add)
  })
)

export const listsGrants = law(
  "lists a merchant's grants newest first, ended ones too, all or one person's",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties()
    const other = yield* FreshConsent.person(scope.environment)
    const plans = yield* Effect.forEach(ages, (age) =>
      ConsentAttempt.given(scope, age > 4 ? other : consumer, { at: Fresh.later(now, -age) })
    )
    const ids = plans.map(({ grant }) => grant.id).reverse()
    for (const { grant } of plans.slice(2, 4)) yield* ConsentAttempt.revoked(grant)
    const add = ConsentAttempt.given(scope, consumer)
    yield* expectList((page) => log.listGrants(scope, { userId: other.userId }, page), ids.slice(4), Effect.void)
    yield* expectList((page) => log.listGrants(scope, anyone, page), ids, add)
  })
)

export const listsReads = law(
  "lists who has read what newest first, of all or of one person",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties()
    const other = yield* FreshConsent.person(scope.environment)
    const long = { at: Fresh.later(now, -10_000) }
    yield* ConsentAttempt.given(scope, consumer, long)
    yield* ConsentAttempt.given(scope, other, long)
    const readings = yield* Effect.forEach(ages, (age) =>
      ConsentAttempt.read(scope, age > 4 ? other : consumer, { at: Fresh.later(now, -age) })
    )
    const ids = readings
      .map(({ decision }) => (decision._tag === "Execute" ? decision.plan.read.id : assert.fail("it is allowed")))
      .reverse()
    const add = ConsentAttempt.read(scope, consumer)
    yield* expectList((page) => log.listReads(scope, { userId: other.userId }, page), ids.slice(4), Effect.void)
    yield* expectList((page) => log.listReads(scope, anyone, page), ids, add)
  })
)

export const listsReceipts = law(
  "lists a merchant's receipts in the order of its chain, the last one first, of all or of one person",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const other = yield* FreshConsent.person(scope.environment)
    const plans = yield* Effect.forEach(ages, (age) => ConsentAttempt.given(scope, age > 4 ? other : consumer))
    const ids = plans.map(({ receipt }) => receipt.id).reverse()
    const add = ConsentAttempt.given(scope, consumer)
    yield* expectList((page) => log.listReceipts(scope, { userId: other.userId }, page), ids.slice(4), Effect.void)
    yield* expectList((page) => log.listReceipts(scope, anyone, page), ids, add)
  })
)

export const listsForOperator = law(
  "lists requests, grants and readings of every merchant of an environment for the operator, newest first",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const listing = { merchantId: undefined, environment: "TEST" as const }
    const pairs = yield* Effect.replicateEffect(FreshConsent.parties("TEST"), 2)
    const live = yield* FreshConsent.parties("LIVE")
    const made = yield* Effect.forEach([...pairs, live], ({ consumer, scope }) =>
      Effect.gen(function* () {
        const { request } = yield* ConsentAttempt.askedAnew(scope, consumer)
        const { grant } = yield* ConsentAttempt.given(scope, consumer)
        const { decision } = yield* ConsentAttempt.read(scope, consumer)
        return { request, grant, read: decision._tag === "Execute" ? decision.plan.read : assert.fail("allowed") }
      })
    )
    const page = { limit: 100, cursor: undefined }
    const shown = {
      request: idsOf((yield* log.listRequests(listing, anyone, page)).data),
      grant: idsOf((yield* log.listGrants(listing, anyone, page)).data),
      read: idsOf((yield* log.listReads(listing, anyone, page)).data)
    }
    for (const kind of ["request", "grant", "read"] as const) {
      const [first, second, elsewhere] = made.map((one): string => one[kind].id)
      assert.includeMembers([...shown[kind]], [first ?? "", second ?? ""])
      assert.notInclude(shown[kind], elsewhere)
    }
    const own = yield* log.listGrants(listing, { userId: pairs[0]?.consumer.userId }, page)
    assert.deepStrictEqual(
      idsOf(own.data),
      made.slice(0, 1).map(({ grant }) => grant.id),
      "of one person alone"
    )
  })
)

export const findsByToken = law(
  "finds a request by its link's token, with what its merchant says of itself, decided or not",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const merchants = yield* MerchantStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const merchant = Option.getOrThrow(yield* merchants.find(scope.merchantId))
    const { link, request } = yield* ConsentAttempt.askedAnew(scope, consumer)
    const other = yield* ConsentAttempt.askedAnew(scope, consumer)
    if (link === undefined || other.link === undefined) return assert.fail("pending requests have links")
    assertEquals(
      yield* log.findByToken(link.tokenHash),
      Option.some({
        request,
        controller: controllerOf(merchant),
        merchantStatus: merchant.status,
        blockedAs: undefined,
        sealedUrl: link.sealedUrl
      })
    )
    const { request: denied } = yield* ConsentAttempt.decided(request.id, ConsentAttempt.deny)
    const found = (tokenHash: typeof link.tokenHash) =>
      Effect.map(
        log.findByToken(tokenHash),
        Option.map((one) => one.request)
      )
    assertEquals(yield* found(link.tokenHash), Option.some(denied))
    assertEquals(yield* found(other.link.tokenHash), Option.some(other.request))
    const guessed = link.tokenHash.slice(0, -1)
    assertEquals(yield* log.findByToken(ConsentTokenHash.make(guessed)), Option.none())
  })
)

export const tellsWhoMayAsk = law(
  "tells with a request by its token the block in force between its merchant and person, and the merchant's status",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const store = yield* ConsentStore
    const merchants = yield* MerchantStore
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties()
    const { link, request } = yield* ConsentAttempt.askedAnew(scope, consumer)
    if (link === undefined) return assert.fail("a pending request has a link")
    const standing = Effect.map(log.findByToken(link.tokenHash), (found) => {
      const { blockedAs, merchantStatus } = Option.getOrThrow(found)
      return [merchantStatus, blockedAs]
    })
    const stranger = yield* FreshConsent.person("LIVE")
    yield* store.block({ ...blockOf(request, "NOT_ME", now), userId: stranger.userId, serviceId: stranger.serviceId })
    assertEquals(yield* standing, ["ACTIVE", undefined], "another person's block")
    for (const reason of ["NOT_ME", "STOP_ASKING"] as const) {
      yield* store.block(blockOf(request, reason, now))
      assertEquals(yield* standing, ["ACTIVE", reason])
      assert.strictEqual(yield* store.liftBlock(scope, consumer.userId, now), reason)
      assertEquals(yield* standing, ["ACTIVE", undefined], "a lifted block")
    }
    const { merchantId } = scope
    yield* merchants.transition({ merchantId, from: "ACTIVE", to: "CLOSED", actor: "operator", at: now })
    assertEquals(yield* standing, ["CLOSED", undefined])
  })
)

export const listsPending = law(
  "lists what waits for a decision at a moment for the operator, newest first, with its link",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties("TEST")
    const ask = (age: number, lifetimeMillis: number) =>
      ConsentAttempt.askedAnew(scope, consumer, { at: Fresh.later(now, -age), lifetimeMillis })
    const plans = yield* Effect.forEach([4, 3, 2, 1], (age) => ask(age, 60_000))
    const expiring = yield* ask(5, 5)
    const { request: cancelled } = yield* ask(6, 60_000)
    yield* ConsentAttempt.decided(cancelled.id, ConsentAttempt.cancel)
    const live = yield* FreshConsent.parties("LIVE")
    const { request: elsewhere } = yield* ConsentAttempt.askedAnew(live.scope, live.consumer)
    yield* PageWalk.expectNewestFirst(
      (page) => log.listPending("TEST", now, page),
      ({ request }) => request.id,
      plans.map(({ request }) => request.id).reverse(),
      ConsentAttempt.askedAnew(scope, consumer)
    )
    const shown = (yield* log.listPending("TEST", now, { limit: 100, cursor: undefined })).data
    for (const absent of [expiring.request.id, cancelled.id, elsewhere.id]) {
      assert.notInclude(
        shown.map(({ request }): string => request.id),
        absent
      )
    }
    const mine = shown.find(({ request }) => request.id === plans[0]?.request.id)
    assertEquals(mine?.sealedUrl, plans[0]?.link?.sealedUrl)
    assert.strictEqual(mine?.controller.merchantId, scope.merchantId)
  })
)

export const laws = [
  listsRequests,
  listsGrants,
  listsReads,
  listsReceipts,
  listsForOperator,
  findsByToken,
  tellsWhoMayAsk,
  listsPending
]

export const suite: (adapter: string, layer: Layer.Layer<ConsentStorePorts, unknown>) => void =
  suiteOf<ConsentStorePorts>("ConsentLog", laws)
