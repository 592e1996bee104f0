import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import * as ReceiptChain from "@surety/core/consent/receipt/ReceiptChain"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

export const strangersSeeNothing = law(
  "shows requests, grants, readings and receipts neither to another merchant nor in the other environment",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const key = Fresh.idempotencyKey()
    const { request } = yield* ConsentAttempt.asked(scope, consumer, { key })
    const { grant } = yield* ConsentAttempt.given(scope, consumer)
    yield* ConsentAttempt.read(scope, consumer)
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      assertEquals(yield* log.findRequest({ id: request.id, scope: stranger }), Option.none())
      assertEquals(yield* log.findGrant({ id: grant.id, scope: stranger }), Option.none())
      assertEquals(yield* FreshConsent.traceOf(stranger), {
        requests: [],
        grants: [],
        reads: [],
        receipts: [],
        chainEnd: ReceiptChain.genesis
      })
      assertEquals([...(yield* log.chain(stranger, 0, 10))], [])
      const seen = yield* ConsentAttempt.look(stranger, consumer, key)
      assert.isUndefined(seen.prior, "the key is free")
      assertEquals([...seen.grants], [])
      assert.isUndefined(yield* ConsentAttempt.readable(stranger, consumer))
    }
  })
)

export const strangersChangeNothing = law(
  "lets a scope decide only its own requests and end only its own grants; without a scope, any",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const { request } = yield* ConsentAttempt.asked(scope, consumer, { purpose: "to ship your order" })
    const { grant } = yield* ConsentAttempt.given(scope, consumer)
    const before = yield* FreshConsent.traceOf(scope)
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      const verdict = yield* ConsentAttempt.decide(request.id, ConsentAttempt.cancel, { scope: stranger })
      assertEquals(verdict, Option.none())
      const end = yield* ConsentAttempt.end(grant.id, ConsentAttempt.revoke, { scope: stranger })
      assertEquals(end, Option.none())
    }
    assertEquals(yield* FreshConsent.traceOf(scope), before)
    yield* ConsentAttempt.decided(request.id, ConsentAttempt.cancel)
    yield* ConsentAttempt.revoked(grant)
  })
)

export const strangersShareNames = law(
  "lets two merchants, and TEST and LIVE, use the same keys at once",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const key = Fresh.idempotencyKey()
    const scopes = [scope, ...(yield* FreshMerchant.strangersTo(scope))]
    const askers = yield* Effect.forEach(scopes, (one) =>
      Effect.map(
        one.environment === scope.environment ? Effect.succeed(consumer) : FreshConsent.person(one.environment),
        (person) => ({ scope: one, person })
      )
    )
    const plans = yield* Effect.forEach(askers, (one) => ConsentAttempt.asked(one.scope, one.person, { key }), {
      concurrency: "unbounded"
    })
    for (const [index, one] of askers.entries()) {
      const { requests } = yield* FreshConsent.traceOf(one.scope)
      assertEquals([...requests], [plans[index]?.request])
    }
  })
)

export const anybodysWithoutScope = law(
  "finds a request and a grant by their ids alone if no scope is given",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    for (const environment of ["TEST", "LIVE"] as const) {
      const { consumer, scope } = yield* FreshConsent.parties(environment)
      const { request } = yield* ConsentAttempt.asked(scope, consumer)
      const { grant } = yield* ConsentAttempt.given(scope, consumer)
      assertEquals(yield* log.findRequest({ id: request.id, scope: undefined }), Option.some(request))
      assertEquals(yield* log.findGrant({ id: grant.id, scope: undefined }), Option.some(grant))
    }
  })
)

export const laws = [anybodysWithoutScope, strangersSeeNothing, strangersChangeNothing, strangersShareNames]
