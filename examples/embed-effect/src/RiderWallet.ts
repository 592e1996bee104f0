import { Wallet, type WalletOutcome, WalletUnavailable } from "@surety/core/refund/Wallet"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/**
 * The riders' wallets, in a table of the company's own. A refund has one row, and the balance grows only with it: one
 * statement, idempotent by the refund's id. In a transaction of the same client it is part of it.
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
