import { assert } from "@effect/vitest"
import { CellName } from "@surety/cells/Cells"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import { EventLog } from "@surety/core/event/EventLog"
import type { EventId } from "@surety/core/Ids"
import { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import { type Merchant, MerchantStatus } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { RequestStore } from "@surety/core/request/RequestStore"
import * as Attempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as PageWalk from "@surety/testing/PageWalk"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Option } from "effect"

export const nowhere = CellName.make("nowhere")

export const cellOf = Effect.fnUntraced(function* ({ id }: Pick<Merchant, "id">) {
  const place = yield* (yield* CellDirectory).find(id)
  return Option.isSome(place) ? place.value.cell : assert.fail("the merchant is in the directory")
})

/** Creates merchants until one is in the given cell. New merchants go to the cell with the fewest merchants. */
export const merchantIn = Effect.fnUntraced(function* (cell: CellName) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const merchant = yield* FreshMerchant.make()
    if ((yield* cellOf(merchant)) === cell) return merchant
  }
  return assert.fail("merchants are spread over both cells")
})

/** Creates a merchant in the cell, with records of most kinds. */
export const make = Effect.fnUntraced(function* (cell: CellName) {
  const merchant = yield* merchantIn(cell)
  const scope = FreshMerchant.scopeOf(merchant)
  const sandbox = FreshMerchant.scopeOf(merchant, "TEST")
  const now = yield* Fresh.now
  yield* FreshEndpoint.make(scope)
  const key = {
    id: Fresh.apiKeyId(now),
    ...scope,
    hash: ApiKeyHash.make(Fresh.sha256(Fresh.randomText("sk"), "hex")),
    last4: "x7Qa",
    createdAt: now
  }
  yield* (yield* ApiKeyStore).issue(key, MerchantStatus.literals)
  const consumer = yield* FreshConsumer.linkedTo(scope)
  const sale = yield* FreshPayment.settled({ scope, consumer, amountMinor: 10_000n })
  const idempotencyKey = Fresh.idempotencyKey()
  const refund = yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 700n, key: idempotencyKey })
  yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 300n, custody: "HOST" })
  const trial = yield* FreshPayment.settled({ scope: sandbox })
  yield* RefundAttempt.executed(sandbox, trial.payment)
  yield* FreshPayment.settled({ scope })
  const { request } = yield* Attempt.askedAnew(scope, consumer)
  yield* Attempt.decided(request.id, Attempt.approveAll)
  assert.isDefined(yield* Attempt.readable(scope, consumer))
  const { request: disowned } = yield* Attempt.askedAnew(scope, yield* FreshConsumer.linkedTo(scope))
  yield* Attempt.decided(disowned.id, Attempt.disown)
  yield* Attempt.askedAnew(scope, yield* FreshConsumer.linkedTo(scope))
  const verification = yield* FreshVerification.make({ scope, at: now })
  yield* (yield* RequestStore).append([
    { ...scope, apiKeyId: key.id, keyLast4: key.last4, method: "POST", status: 201, requestId: "r-1", at: now }
  ])
  return { merchant, scope, sandbox, key, consumer, sale, refund, idempotencyKey, verification }
})

export type Shop = Effect.Success<ReturnType<typeof make>>

/**
 * Reads the merchant's events in order, from the first or after `from`, in pages of three. `EventLog.follow` withholds
 * an event while an older transaction runs on the server. Other tests can thus delay it, so this function waits for the
 * last event.
 */
export const events = Effect.fnUntraced(function* ({ scope }: Pick<Shop, "scope">, from?: EventId) {
  const log = yield* EventLog
  const stored = yield* PageWalk.all((page) => log.list(scope, page), 100)
  const last = stored.toSorted((one, other) => (one.sequence < other.sequence ? 1 : -1))[0]?.id
  const followed: Array<{ readonly id: EventId; readonly sequence: string }> = []
  for (;;) {
    const page = yield* log.follow(scope, { after: followed.at(-1)?.id ?? from, limit: 3 })
    const hasLast = last === undefined || from === last || followed.some(({ id }) => id === last)
    if (page.length === 0 && hasLast) return followed
    if (page.length === 0) yield* Effect.sleep("5 millis")
    followed.push(...page.map(({ id, sequence }) => ({ id, sequence })))
  }
})

/** Reads the merchant's records through the ports, to compare them before and after a move. */
export const view = Effect.fnUntraced(function* ({ consumer, key, merchant, sale, sandbox, scope }: Shop) {
  const refunds = yield* RefundStore
  const log = yield* EventLog
  const requests = yield* RequestStore
  const keys = yield* ApiKeyStore
  const newest = yield* PageWalk.all((page) => log.list(scope, page), 100)
  const first = newest[0] ?? assert.fail("the merchant has events")
  return {
    merchant: yield* (yield* MerchantStore).find(merchant.id),
    history: yield* (yield* MerchantStore).history(merchant.id),
    holder: yield* keys.findByHash(key.hash),
    refunds: yield* PageWalk.all((page) => refunds.list(scope, { paymentId: undefined }, page), 100),
    trial: yield* PageWalk.all((page) => refunds.list(sandbox, { paymentId: undefined }, page), 100),
    events: newest.map(({ id, sequence, topic }) => ({ id, sequence, topic })),
    deliveries: yield* log.deliveries(scope, first.id),
    consents: yield* FreshConsent.traceOf(scope),
    chain: yield* FreshConsent.soundChain(scope),
    requests: yield* PageWalk.all((page) => requests.list(scope, { status: undefined, route: undefined }, page), 100),
    settlement: yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(sale)),
    wallet: yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount({ ...sale, consumer }))
  }
})
