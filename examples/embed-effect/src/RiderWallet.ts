import { Wallet, type WalletOutcome, WalletUnavailable } from "@surety/core/refund/Wallet"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/**
 * The riders' wallets, in the company's own tables. `credit` inserts the refund's row and raises the balance in one
 * statement, idempotent by refund id. A credit within a transaction of the same client becomes part of that
 * transaction.
 */
export const layer: Layer.Layer<Wallet, never, SqlClient> = Layer.effect(
  Wallet,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return Wallet.of({
      credit: ({ amount, refundId, userId }) =>
        sql`
          with credit as (
            insert into ride.wallet_refund (refund_id, rider_id, kobo) values (${refundId}, ${userId}, ${amount.minor})
            on conflict do nothing returning rider_id, kobo
          )
          update ride.wallet set kobo = wallet.kobo + credit.kobo from credit where wallet.rider_id = credit.rider_id
        `.pipe(
          Effect.as<WalletOutcome>({ _tag: "Credited" }),
          Effect.mapError((cause) => new WalletUnavailable({ cause }))
        )
    })
  })
)
