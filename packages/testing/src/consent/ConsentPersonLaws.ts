import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import type { ConsentStorePorts } from "./ConsentStoreLaws.js"
import * as FreshConsent from "./FreshConsent.js"

const idsOf = <A extends { readonly id: string }>(rows: ReadonlyArray<A>): ReadonlyArray<string> =>
  rows.map(({ id }) => id)

export const listsPersonReceipts = law(
  "lists one person's receipts at every merchant of an environment, newest first, or at one merchant",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties("TEST")
    const neighbour = (yield* FreshConsent.parties("TEST")).scope
    const other = yield* FreshConsent.person("TEST")
    const plans = yield* Effect.forEach([6, 5, 4, 3, 2, 1], (age) =>
      ConsentAttempt.given(age % 2 === 0 ? scope : neighbour, consumer, { at: Fresh.later(now, -age) })
    )
    yield* ConsentAttempt.given(scope, other)
    const ids = plans.map(({ receipt }) => receipt.id).reverse()
    const everywhere = { merchantId: undefined, environment: "TEST" as const }
    const list = (page: Parameters<typeof log.listPersonReceipts>[2]) =>
      log.listPersonReceipts(everywhere, consumer.userId, page)
    for (const limit of [1, 2, 100]) assert.deepStrictEqual(idsOf(yield* PageWalk.all(list, limit)), ids)
    yield* PageWalk.expectNewestFirst(list, ({ id }) => id, ids, ConsentAttempt.given(scope, consumer))
    const page = { limit: 100, cursor: undefined }
    const atNeighbour = yield* log.listPersonReceipts(neighbour, consumer.userId, page)
    assert.deepStrictEqual(
      idsOf(atNeighbour.data),
      ids.filter((_, index) => index % 2 === 0)
    )
    const live = { merchantId: undefined, environment: "LIVE" as const }
    assert.deepStrictEqual((yield* log.listPersonReceipts(live, consumer.userId, page)).data, [])
  })
)

export const findsPersonReceipt = law(
  "finds a receipt for its own person, at its own merchant, and for no one else",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties("TEST")
    const neighbour = (yield* FreshConsent.parties("TEST")).scope
    const other = yield* FreshConsent.person("TEST")
    const { receipt } = yield* ConsentAttempt.given(scope, consumer)
    const everywhere = { merchantId: undefined, environment: "TEST" as const }
    for (const listing of [everywhere, scope]) {
      const found = yield* log.findPersonReceipt(listing, consumer.userId, receipt.id)
      assert.deepInclude(Option.getOrUndefined(found), { id: receipt.id, body: receipt.body })
    }
    for (const [listing, userId] of [
      [everywhere, other.userId],
      [neighbour, consumer.userId],
      [{ merchantId: undefined, environment: "LIVE" as const }, consumer.userId]
    ] as const) {
      assertEquals(yield* log.findPersonReceipt(listing, userId, receipt.id), Option.none())
    }
  })
)

export const findsLastReads = law(
  "finds the last read under each grant, by its merchant, of its fields, since it was given, among many others",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties("TEST")
    const neighbour = (yield* FreshConsent.parties("TEST")).scope
    const other = yield* FreshConsent.person("TEST")
    const give = (at: number, to: typeof scope, person: typeof consumer, ...fields: ReadonlyArray<string>) =>
      Effect.map(
        ConsentAttempt.given(to, person, {
          at: Fresh.later(now, at),
          fields: ConsentAttempt.fields(...fields),
          purpose: Fresh.randomText("purpose")
        }),
        ({ grant }) => grant
      )
    const read = Effect.fnUntraced(function* (at: number, to: typeof scope, person: typeof consumer, field: string) {
      const { decision } = yield* ConsentAttempt.read(to, person, { at: Fresh.later(now, at), fields: [field] })
      return decision._tag === "Execute" ? decision.plan.read : assert.fail("it is allowed")
    })
    const email = yield* give(-100, scope, consumer, "email")
    const country = yield* give(-99, scope, consumer, "country")
    const elsewhere = yield* give(-98, neighbour, consumer, "email", "country")
    const nameOnly = yield* give(-97, neighbour, consumer, "display_name")
    const others = yield* give(-96, scope, other, "email")
    yield* read(-90, scope, consumer, "email")
    const lastEmail = yield* read(-80, scope, consumer, "email")
    const lastCountry = yield* read(-70, scope, consumer, "country")
    yield* read(-60, scope, consumer, "kyc_status")
    const lastOther = yield* read(-50, scope, other, "email")
    const later = yield* give(-40, scope, consumer, "email")
    yield* Effect.forEach(Array.from({ length: 9 }), (_, index) => read(index - 39, neighbour, consumer, "country"))
    const lastElsewhere = yield* read(-30, neighbour, consumer, "service_id")
    const live = FreshMerchant.otherEnvironment(scope)
    const person = yield* FreshConsent.person(live.environment)
    const liveGrant = yield* give(-20, live, person, "email")
    const liveRead = yield* read(-10, live, person, "email")
    const expected = new Map([
      [email.id, lastEmail],
      [country.id, lastCountry],
      [elsewhere.id, lastElsewhere],
      [nameOnly.id, lastElsewhere],
      [others.id, lastOther],
      [liveGrant.id, liveRead]
    ])
    const found = yield* log.lastReads([email, country, elsewhere, nameOnly, others, later, liveGrant])
    assertEquals(new Map(found.map((one) => [one.grantId, one.read])), expected)
    assert.lengthOf(found, expected.size)
    const again = yield* read(0, scope, consumer, "email")
    const reread = yield* log.lastReads([later, country])
    assertEquals(
      new Map(reread.map((one) => [one.grantId, one.read.id])),
      new Map([
        [later.id, again.id],
        [country.id, lastCountry.id]
      ])
    )
    assert.deepStrictEqual(yield* log.lastReads([]), [])
  })
)

export const listsDisowned = law(
  "lists the requests that people have denied as not meant for them, newest first, and no others",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties("TEST")
    const denied = (age: number, reason: "NOT_ME" | "DECLINED") =>
      Effect.gen(function* () {
        const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { at: Fresh.later(now, -age) })
        yield* ConsentAttempt.decided(request.id, { _tag: "Deny", reason, actor: { kind: "PERSON" } })
        return request.id
      })
    const ids = yield* Effect.forEach([4, 3, 2, 1], (age) => denied(age, "NOT_ME"))
    const declined = yield* denied(5, "DECLINED")
    yield* PageWalk.expectNewestFirst(
      (page) => log.listDisowned("TEST", page),
      ({ id }) => id,
      ids.reverse(),
      denied(0, "NOT_ME")
    )
    const page = { limit: 100, cursor: undefined }
    const shown = idsOf((yield* log.listDisowned("TEST", page)).data)
    assert.notInclude(shown, declined)
    assert.notInclude(idsOf((yield* log.listDisowned("LIVE", page)).data), ids[0] ?? "")
  })
)

export const laws = [listsPersonReceipts, findsPersonReceipt, findsLastReads, listsDisowned]

/**
 * Registers as tests the laws of `ConsentLog` about one person's receipts and last reads, and about requests denied as
 * `NOT_ME`. The tests run in order and share one build of `layer`.
 */
export const suite: (adapter: string, layer: Layer.Layer<ConsentStorePorts, unknown>) => void =
  suiteOf<ConsentStorePorts>("ConsentLog, for people", laws)
