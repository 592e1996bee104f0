import { assert } from "@effect/vitest"
import { ConsentRequired } from "@surety/core/consent/ConsentError"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { IdentityReadSnapshot } from "@surety/core/consent/read/decideIdentityRead"
import { type Receipt, controllerOf as receiptController } from "@surety/core/consent/receipt/Receipt"
import * as ReceiptChain from "@surety/core/consent/receipt/ReceiptChain"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Effect, Option } from "effect"
import { Digest } from "effect/crypto"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"

/** A merchant's scope, and a person in its environment. */
export interface Parties {
  readonly scope: MerchantScope
  readonly consumer: Consumer
}

/** Stores a new consumer that is linked to no merchant. */
export const person = Effect.fnUntraced(function* (environment: Environment) {
  const consumer = yield* FreshConsumer.unstored(environment)
  const store = yield* ConsumerStore
  assert.isTrue(yield* store.insert(consumer, undefined), "a consumer with new identifiers is stored")
  return consumer
})

export const parties = Effect.fnUntraced(function* (environment: Environment = "LIVE") {
  const made: Parties = {
    scope: FreshMerchant.scopeOf(yield* FreshMerchant.make(), environment),
    consumer: yield* person(environment)
  }
  return made
})

export const controllerOf = Effect.fnUntraced(function* ({ merchantId }: MerchantScope) {
  const found = yield* (yield* MerchantStore).find(merchantId)
  return Option.isSome(found) ? receiptController(found.value) : assert.fail("the merchant is stored")
})

export const anyone = { userId: undefined }

/** Loads a merchant's consent records in one environment, newest first. */
export const traceOf = Effect.fnUntraced(function* (scope: MerchantScope) {
  const log = yield* ConsentLog
  return {
    requests: yield* PageWalk.all((page) => log.listRequests(scope, anyone, page), 100),
    grants: yield* PageWalk.all((page) => log.listGrants(scope, anyone, page), 100),
    reads: yield* PageWalk.all((page) => log.listReads(scope, anyone, page), 100),
    receipts: yield* PageWalk.all((page) => log.listReceipts(scope, anyone, page), 100),
    chainEnd: yield* log.chainEnd(scope)
  }
})

/** Returns the complete receipt chain, oldest first. Fails if the chain has a fault. */
export const soundChain = Effect.fnUntraced(function* (scope: MerchantScope) {
  const log = yield* ConsentLog
  const receipts: Array<Receipt> = []
  while (true) {
    const more = yield* log.chain(scope, receipts.length, 7)
    receipts.push(...more)
    if (more.length === 0) break
    assert.isBelow(receipts.length, 1_000, "the chain comes to an end")
  }
  const end = yield* log.chainEnd(scope)
  const faults = yield* Effect.provide(ReceiptChain.verify(scope, receipts, end), Digest.layerWebCrypto)
  assert.deepStrictEqual(faults, [], "the chain is whole")
  assert.strictEqual(end.sequence, receipts.length, "the chain ends where its last receipt is")
  return receipts
})

/** Returns the snapshot that a decision on a read would use. Stores nothing. */
export const readSnapshotOf = Effect.fnUntraced(function* (
  scope: MerchantScope,
  { serviceId }: Pick<Consumer, "serviceId">
) {
  const store = yield* ConsentStore
  const seen: Array<IdentityReadSnapshot> = []
  yield* store.read({ scope, serviceId }, (snapshot) => {
    seen.push(snapshot)
    return { _tag: "Refuse", reason: new ConsentRequired() }
  })
  return seen.at(-1) ?? assert.fail("the store never asked for a decision")
})
