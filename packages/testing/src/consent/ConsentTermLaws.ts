import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { Consumer } from "@surety/core/consumer/Consumer"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

const atOnce = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.replicateEffect(effect, count, { concurrency: "unbounded" })

/** Creates a one-time grant of the person's `fields` to the merchant. */
const once = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Pick<Consumer, "serviceId">,
  fields: ReadonlyArray<string>
) {
  const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { fields, duration: "ONE_TIME" })
  const { grant } = yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
  return grant ?? assert.fail("the approval made a grant")
})

const stored = Effect.fnUntraced(function* (scope: MerchantScope, id: Parameters<typeof ConsentAttempt.end>[0]) {
  const found = yield* (yield* ConsentLog).findGrant({ id, scope })
  return Option.getOrThrow(found)
})

export const oneReadOfMany = law(
  "lets exactly one of 20 reads at once have a one-time grant, which ends with its receipt in that commit",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const grant = yield* once(scope, consumer, ["email", "country"])
    assert.isTrue((yield* stored(scope, grant.id)).oneTime)
    const reads = yield* atOnce(20, ConsentAttempt.read(scope, consumer))
    const decisions = reads.map(({ decision }) => decision)
    assert.deepStrictEqual(ConsentAttempt.tally(decisions), { Execute: 1, Refuse: 19 })
    const ended = yield* stored(scope, grant.id)
    assert.strictEqual(ended.status, "EXPIRED")
    const trace = yield* FreshConsent.traceOf(scope)
    assert.lengthOf(trace.reads, 1)
    assertEquals(ended.usedAt, trace.reads[0]?.readAt)
    const chain = yield* FreshConsent.soundChain(scope)
    assert.lengthOf(chain, 2, "that it was given, and that it ended")
    assert.include(chain[1]?.body, '"state":"EXPIRED"')
  })
)

export const lastingGrantsSpareOthers = law(
  "uses up no one-time grant for fields that a lasting one allows, and one grant with each read",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const email = yield* once(scope, consumer, ["email"])
    const country = yield* once(scope, consumer, ["country"])
    yield* ConsentAttempt.given(scope, consumer, { fields: ["email"] })
    yield* ConsentAttempt.read(scope, consumer, { fields: ["email", "service_id"] })
    assert.strictEqual((yield* stored(scope, email.id)).status, "ACTIVE")
    const reads = yield* atOnce(10, ConsentAttempt.readable(scope, consumer, { fields: ["email", "country"] }))
    assert.lengthOf(
      reads.filter((fields) => fields?.some((field) => field === "country")),
      1
    )
    assert.isTrue(
      reads.every((fields) => fields?.some((field) => field === "email")),
      "the lasting one stays"
    )
    assert.strictEqual((yield* stored(scope, country.id)).status, "EXPIRED")
    assert.strictEqual((yield* stored(scope, email.id)).status, "ACTIVE")
    yield* FreshConsent.soundChain(scope)
  })
)

export const oneEndOfMany = law(
  "ends a one-time grant once, by a read or by its revocation, of both at once",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    for (let round = 0; round < 3; round++) {
      const grant = yield* once(scope, consumer, ["email"])
      const [reads, revocation] = yield* Effect.all(
        [atOnce(5, ConsentAttempt.read(scope, consumer)), ConsentAttempt.end(grant.id, ConsentAttempt.revoke)],
        { concurrency: "unbounded" }
      )
      const allowed = reads.filter(({ decision }) => decision._tag === "Execute").length
      const revoked = Option.exists(revocation, ({ _tag }) => _tag === "Execute") ? 1 : 0
      assert.strictEqual(allowed + revoked, 1)
      assert.strictEqual((yield* stored(scope, grant.id)).status, revoked === 1 ? "REVOKED" : "EXPIRED")
      assert.lengthOf(yield* FreshConsent.soundChain(scope), 2 * (round + 1))
    }
  })
)

export const storesTerms = law(
  "stores how long a request asks for and where it leads back to, and returns the same to every reader",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* withReturnUrls
    for (const duration of ["ONE_TIME", 30, undefined] as const) {
      const options = { returnUrl: "https://shop.example/orders/7?x=1", state: "s t&=#/ ü" }
      const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, {
        ...options,
        ...(duration === undefined ? {} : { duration })
      })
      assert.deepInclude(request, options)
      assert.strictEqual(request.duration, duration)
      assertEquals(Option.getOrThrow(yield* log.findRequest({ id: request.id, scope })), request)
    }
    const refused = yield* ConsentAttempt.ask(scope, consumer, { returnUrl: "https://shop.example/orders-x" })
    assert.strictEqual(refused._tag === "Refuse" ? refused.reason._tag : refused._tag, "ReturnUrlNotAllowed")
  })
)

export const durationsAreQuestions = law(
  "takes another duration for another open question, and not for another denial",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const now = yield* Fresh.now
    const tagOf = (duration: "ONE_TIME" | 30 | 31) =>
      Effect.map(ConsentAttempt.ask(scope, consumer, { duration }), ({ _tag }) => _tag)
    assert.deepStrictEqual(
      [yield* tagOf("ONE_TIME"), yield* tagOf(30), yield* tagOf("ONE_TIME"), yield* tagOf(30)],
      ["Execute", "Execute", "Repeat", "Repeat"]
    )
    const { requests } = yield* FreshConsent.traceOf(scope)
    for (const { id } of requests) yield* ConsentAttempt.decided(id, ConsentAttempt.deny, { at: now })
    const { history } = yield* ConsentAttempt.look(scope, consumer)
    assertEquals(history?.deniedAt, now)
  })
)

export const latestReturnStands = law(
  "leads back to where the latest of equal questions says, and keeps that if one says nothing",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* withReturnUrls
    const ask = (returnUrl?: string, state?: string) =>
      ConsentAttempt.ask(scope, consumer, {
        ...(returnUrl === undefined ? {} : { returnUrl }),
        ...(state === undefined ? {} : { state })
      })
    const { request } = yield* ConsentAttempt.asked(scope, consumer, {
      returnUrl: "https://shop.example/orders/1",
      state: "one"
    })
    const leads = Effect.map(log.findRequest({ id: request.id, scope }), (found) => {
      const { returnUrl, state } = Option.getOrThrow(found)
      return [returnUrl, state]
    })
    assert.strictEqual((yield* ask("https://shop.example/orders/2", "two"))._tag, "Repeat")
    assert.deepStrictEqual(yield* leads, ["https://shop.example/orders/2", "two"])
    assert.strictEqual((yield* ask())._tag, "Repeat")
    assert.deepStrictEqual(yield* leads, ["https://shop.example/orders/2", "two"])
    assert.strictEqual((yield* ask("https://shop.example/orders"))._tag, "Repeat")
    assert.deepStrictEqual(yield* leads, ["https://shop.example/orders", undefined])
    yield* ConsentAttempt.decided(request.id, ConsentAttempt.deny)
  })
)

export const receiptsOfGrant = law(
  "lists the receipts of one grant of the merchant's, oldest first, and of no other",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const first = yield* ConsentAttempt.given(scope, consumer)
    const purpose = `"recordId":"${first.grant.id}"`
    const second = yield* ConsentAttempt.given(scope, consumer, { purpose })
    const end = yield* ConsentAttempt.revoked(first.grant)
    const idsOf = (grant: typeof first.grant, of: MerchantScope = scope) =>
      Effect.map(log.listGrantReceipts(of, grant), (receipts) => receipts.map(({ id }) => id))
    assert.deepStrictEqual(yield* idsOf(first.grant), [first.receipt.id, end.receipt.id])
    assert.deepStrictEqual(yield* idsOf(second.grant), [second.receipt.id])
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      assert.deepStrictEqual(yield* idsOf(first.grant, stranger), [])
    }
  })
)

const withReturnUrls = Effect.gen(function* () {
  const { consumer, scope } = yield* FreshConsent.parties()
  const returnUrls = ["https://shop.example/orders"]
  yield* FreshMerchant.saveSettings(scope.merchantId, (settings) => ({ ...settings, returnUrls }))
  return { consumer, scope }
})

export const laws = [
  oneReadOfMany,
  lastingGrantsSpareOthers,
  oneEndOfMany,
  storesTerms,
  durationsAreQuestions,
  latestReturnStands,
  receiptsOfGrant
]
