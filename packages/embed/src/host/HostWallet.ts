import { Wallet, type WalletOutcome, WalletUnavailable } from "@surety/core/refund/Wallet"
import type { HostConnection } from "@surety/postgres/HostPool"
import { Effect, Layer } from "effect"
import { HostTransaction } from "./HostTransaction.js"

/** What the host's wallet is asked for. */
export interface HostCredit {
  /** The wallet's idempotency key: however often it is asked, it credits once. */
  readonly refundId: string
  readonly merchantId: string
  readonly environment: "TEST" | "LIVE"
  readonly transactionId: string
  readonly userId: string
  /** In the currency's minor units: kobo for NGN. */
  readonly amountMinor: bigint
  readonly currency: string
}

export type HostCreditOutcome = { readonly credited: true } | { readonly declined: string }

/** A host's wallet system. Without it Surety's own ledger holds the customers' money. */
export interface HostWallet {
  /**
   * Credits the customer's primary wallet, once for a `refundId`. `declined` is final, and its reason is shown to the
   * merchant. A rejected promise means that nobody knows: it is asked again, with the same `refundId`.
   */
  readonly credit: (credit: HostCredit) => Promise<HostCreditOutcome>
  /**
   * For a wallet that stands in the same database: credits through the connection of the transaction that a refund is
   * part of (`surety.inTransaction`), so that wallet, refund and the host's other rows stand or fall together. Calls on one
   * connection take turns, so ask nothing of Surety on it meanwhile.
   *
   * Without it, a refund in a transaction ends as `RefundOutcomeUnknown` and the wallet is asked after the commit, by
   * the workers or by the same idempotency key: money never moves for what may yet be rolled back.
   */
  creditInTransaction?(credit: HostCredit, connection: HostConnection): Promise<HostCreditOutcome>
}

const afterCommit = new WalletUnavailable({
  cause: new Error("The wallet is asked once the transaction is committed.")
})

const outcomeOf = (outcome: HostCreditOutcome): WalletOutcome =>
  "declined" in outcome ? { _tag: "Declined", reason: outcome.declined } : { _tag: "Credited" }

/** How the wallet is asked now; `undefined` where it must not be. */
const asking = (wallet: HostWallet, connection: HostConnection | undefined) => {
  if (connection === undefined) return (credit: HostCredit) => wallet.credit(credit)
  const inTransaction = wallet.creditInTransaction?.bind(wallet)
  return inTransaction && ((credit: HostCredit) => inTransaction(credit, connection))
}

/** The port that stands for the host's wallet. */
export const layer = (wallet: HostWallet): Layer.Layer<Wallet> =>
  Layer.succeed(Wallet, {
    credit: Effect.fnUntraced(function* ({ amount, paymentId, refundId, scope, userId }) {
      const ask = asking(wallet, yield* HostTransaction)
      if (ask === undefined) return yield* afterCommit
      return yield* Effect.tryPromise({
        try: async () =>
          outcomeOf(
            await ask({
              refundId,
              merchantId: scope.merchantId,
              environment: scope.environment,
              transactionId: paymentId,
              userId,
              amountMinor: amount.minor,
              currency: amount.currency
            })
          ),
        catch: (cause) => new WalletUnavailable({ cause })
      })
    })
  })
