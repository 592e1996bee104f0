import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { personTurn } from "@surety/cells/directory/CellDirectory"
import { directorySchema } from "@surety/cells/directory/DirectoryTables"
import { NGN } from "@surety/core/Currency"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import { type MovedBy, OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { StoreError } from "@surety/core/StoreError"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshOperatorTransfer from "@surety/testing/ledger/FreshOperatorTransfer"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Deferred, Effect, Exit, Fiber, Option, Schema } from "effect"
import * as TestCells from "../TestCells.js"

const lockOf = (turn: string): string => `surety_turn ${directorySchema} ${turn}`

/** Runs the effect with a connection of its own. */
const aside = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient>) =>
  Effect.flatMap(TestDatabase, ({ url }) => Effect.provide(effect, PgClient.layer({ url, maxConnections: 1 })))

/** Ends the directory's connection that holds the turn, as a failover does. Waits until the turn is free. */
const endTurn = (turn: string) =>
  aside(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ended = yield* sql`
        select pg_terminate_backend(l.pid, 5000) from pg_locks l
        where l.locktype = 'advisory' and l.granted
          and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(${lockOf(turn)}, 0)`
      assert.lengthOf(ended, 1, "one connection holds the turn")
    })
  )

const isUnavailable = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) =>
      reason._tag === "Fail" && Schema.is(StoreError)(reason.error) && reason.error.reason._tag === "StoreUnavailable"
  )

it.layer(TestCells.twoSchemas, { timeout: 120_000, excludeTestServices: true })(
  "a turn that the directory ends",
  (it) => {
    it.effect("ends what one operator moves alone", () =>
      Effect.gen(function* () {
        const actions = yield* OperatorActionStore
        const merchants = yield* MerchantStore
        const { createdAt: at, id: merchantId } = yield* FreshMerchant.make()
        const actor = Fresh.randomText("ada")
        const of: MovedBy = { actor, environment: "LIVE", currency: NGN, since: at, kinds: ["transfer.posted"] }
        const turn = JSON.stringify(["moved", "LIVE", NGN, actor.toLowerCase()])
        const action: OperatorAction = {
          ...{ id: Fresh.operatorActionId(at), actor, kind: "merchant.status_changed", target: merchantId, merchantId },
          ...{ changes: [], at }
        }
        const begun = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const change = Effect.gen(function* () {
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(go)
          return yield* merchants.transition({ merchantId, from: "ACTIVE", to: "SUSPENDED", actor: "ada", at })
        })
        const first = yield* Effect.forkChild(
          Effect.exit(
            actions.commitAlone(
              of,
              () => change,
              () => action
            )
          )
        )
        yield* Deferred.await(begun)
        yield* endTurn(turn)
        yield* Deferred.succeed(go, undefined)
        assert.isTrue(isUnavailable(yield* Fiber.join(first)), "another call may have the turn by now")
        assert.strictEqual(Option.getOrThrow(yield* merchants.find(merchantId)).status, "ACTIVE")
      })
    )

    it.effect("ends a drawing on a wallet, by an operator or by a payment", () =>
      Effect.gen(function* () {
        const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
        const { consumer, scope } = sale
        yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 400n })
        const { payment } = yield* FreshPayment.unstored({ scope, consumer, amountMinor: 150n })
        const withdrawal = FreshOperatorTransfer.toConsumer(sale, {
          kind: "WITHDRAWAL",
          amount: { ...payment.amount, minor: 150n }
        })
        const turn = personTurn(consumer)
        const post = (yield* OperatorTransferStore).post(FreshOperatorTransfer.postPlanOf(withdrawal))
        const pay = (yield* PaymentStore).record(FreshPayment.fromBalanceOf(payment))
        for (const draw of [Effect.asVoid(post), Effect.asVoid(pay)]) {
          const drawn = yield* Effect.scoped(
            Effect.gen(function* () {
              const held = yield* Deferred.make<void>()
              const release = yield* Deferred.make<void>()
              // Stands for the write of an earlier holder, which the drawing waits for before it reads.
              yield* Effect.forkScoped(
                aside(
                  Effect.flatMap(PgClient.PgClient, (sql) =>
                    sql.withTransaction(
                      Effect.gen(function* () {
                        yield* sql`select pg_advisory_xact_lock(hashtextextended(${`surety_turn_here cell_east ${turn}`}, 0))`
                        yield* Deferred.succeed(held, undefined)
                        yield* Deferred.await(release)
                      })
                    )
                  )
                )
              )
              yield* Deferred.await(held)
              const drawing = yield* Effect.forkChild(Effect.exit(draw))
              yield* Effect.sleep("700 millis")
              yield* endTurn(turn)
              yield* Deferred.succeed(release, undefined)
              return yield* Fiber.join(drawing)
            })
          )
          assert.isTrue(isUnavailable(drawn), "another call may have the turn by now")
        }
        assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)), 400n)
        assert.deepStrictEqual(yield* post, { _tag: "Posted" })
        assert.strictEqual(yield* pay, "recorded")
        assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)), 100n)
        yield* LedgerChecks.expectSound
      })
    )
  }
)
