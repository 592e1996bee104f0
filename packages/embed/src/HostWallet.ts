import { Wallet, WalletUnavailable } from "@surety/core/refund/Wallet"
import { Effect, Layer } from "effect"

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

/** A host's wallet system. Without it Surety's own ledger holds the customers' money. */
export interface HostWallet {
  /**
   * Credits the customer's primary wallet, once for a `refundId`. `declined` is final, and its reason is shown to the
   * merchant. A rejected promise means that nobody knows: it is asked again, with the same `refundId`.
   */
  readonly credit: (credit: HostCredit) => Promise<{ readonly credited: true } | { readonly declined: string }>
}

/** The port that stands for the host's wallet. */
export const layer = ({ credit }: HostWallet): Layer.Layer<Wallet> =>
  Layer.succeed(Wallet, {
    credit: ({ amount, paymentId, refundId, scope, userId }) =>
      Effect.map(
        Effect.tryPromise({
          try: () =>
            credit({
              refundId,
              merchantId: scope.merchantId,
              environment: scope.environment,
              transactionId: paymentId,
              userId,
              amountMinor: amount.minor,
              currency: amount.currency
            }),
          catch: (cause) => new WalletUnavailable({ cause })
        }),
        (outcome) => ("declined" in outcome ? { _tag: "Declined", reason: outcome.declined } : { _tag: "Credited" })
      )
  })
