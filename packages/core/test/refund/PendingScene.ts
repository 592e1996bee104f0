import { NodeCrypto } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { layer, layerLedger } from "@surety/core/refund/HostRefunds"
import type { Refund } from "@surety/core/refund/Refund"
import { type RefundCompletion, type RefundFailure, RefundStore } from "@surety/core/refund/RefundStore"
import {
  Wallet,
  type WalletCredit,
  WalletDeferred,
  type WalletOutcome,
  WalletUnavailable
} from "@surety/core/refund/Wallet"
import type { StoreError } from "@surety/core/StoreError"
import * as Responses from "@surety/testing/Responses"
import { Effect, Layer, Option } from "effect"
import { context, payment } from "./RefundSnapshots.js"

export const userId = payment.userId ?? assert.fail("the payment has a customer")

export const refund: Refund = {
  id: context.refundId,
  ...context.scope,
  paymentId: payment.id,
  amount: payment.amount,
  status: "PENDING",
  userId,
  createdAt: context.now
}

export const credited: WalletOutcome = { _tag: "Credited" }
export const declined: WalletOutcome = { _tag: "Declined", reason: "wallet closed" }
export const unavailable = new WalletUnavailable({ cause: new Error("connection reset") })
export const deferred = new WalletDeferred()

/**
 * Builds a scripted store with one pending refund, which `due` lists `count` times, and a wallet with the given
 * outcomes. Records the credits requested from the wallet, and the calls to the store other than `find`.
 */
export const sceneOf = (
  outcome: (asked: number) => Effect.Effect<WalletOutcome, WalletUnavailable | WalletDeferred>,
  pending: Partial<{
    readonly refund: Refund
    readonly count: number
    readonly isHeld: boolean
    /** How the first lease fails. */
    readonly firstFails: Effect.Effect<never, StoreError>
    readonly fence: number
    /** The refund's status at each `find`, in order. After the last one, and by default, `refund.status`. */
    readonly statuses: ReadonlyArray<Refund["status"]>
  }> = {},
  more: Pick<Wallet["Service"], "lookup"> = {}
) => {
  const asked: Array<WalletCredit> = []
  const completed: Array<RefundCompletion> = []
  const failed: Array<RefundFailure> = []
  const released: Array<number> = []
  const looked: Array<ReadonlyArray<unknown>> = []
  const leases: Array<string> = []
  const statuses = [...(pending.statuses ?? [])]
  const leased = { refund: pending.refund ?? refund, fence: pending.fence ?? 1 }
  const unused = () => Effect.die("is not asked")
  const store = Layer.succeed(RefundStore, {
    execute: unused,
    release: ({ fence }) => Effect.sync(() => released.push(fence)),
    find: () => Effect.sync(() => Option.some({ ...leased.refund, status: statuses.shift() ?? leased.refund.status })),
    list: unused,
    findAny: unused,
    trail: unused,
    listAll: unused,
    lease: (id) =>
      Effect.sync(() => {
        leases.push(id)
        return pending.isHeld ? Option.none() : Option.some(leased)
      }).pipe(Effect.tap(() => (leases.length > 1 ? Effect.void : (pending.firstFails ?? Effect.void)))),
    settleCompleted: (completion) => Effect.sync(() => completed.push(completion) > 0),
    settleFailed: (failure) => Effect.sync(() => failed.push(failure) > 0),
    due: (...question) =>
      Effect.sync(() => {
        looked.push(question)
        return Array.from({ length: pending.count ?? 1 }, () => refund.id)
      })
  })
  const wallet = Layer.succeed(Wallet, {
    credit: (credit) => Effect.suspend(() => outcome(asked.push(credit))),
    ...more
  })
  const around = Layer.mergeAll(store, wallet, Responses.layer, NodeCrypto.layer)
  return {
    asked,
    completed,
    failed,
    leases,
    looked,
    released,
    run: Effect.provide(Layer.provide(layer, around)),
    runWithoutWallet: Effect.provide(Layer.provide(layerLedger, around))
  }
}
