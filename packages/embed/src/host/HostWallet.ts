import { type ReadAnswer, reading } from "@surety/core/host/HostAnswer"
import {
  Wallet,
  WalletDeferred,
  type WalletKnowledge,
  type WalletOutcome,
  WalletUnavailable
} from "@surety/core/refund/Wallet"
import type { HostConnection } from "@surety/postgres/HostConnection"
import { underSavepoint } from "@surety/postgres/HostTransaction"
import { Effect, Exit, Layer, Result, Schema } from "effect"
import { HostTransaction } from "./HostTransaction.js"
import { lentConnection } from "./lentConnection.js"

/** The credit of a refund to a consumer's wallet at the host. */
export interface HostCredit {
  /** The wallet's idempotency key: repeated calls must credit only once. */
  readonly refundId: string
  readonly merchantId: string
  readonly environment: "TEST" | "LIVE"
  readonly transactionId: string
  readonly userId: string
  /** In the currency's minor units: kobo for NGN. */
  readonly amountMinor: bigint
  readonly currency: string
}

/**
 * A wallet's response, in exactly one of these forms. Any other response, such as `{ credited: false }` or one with an
 * extra field, leaves the outcome unknown. The refund then stays `PENDING`, and Surety asks the wallet again.
 */
export type HostCreditOutcome = { readonly credited: true } | { readonly declined: string }

/** Identifies the credit to look up. */
export type HostCreditQuery = Pick<HostCredit, "refundId" | "merchantId" | "environment">

/**
 * A wallet's response to `lookup`, in exactly one of these forms. `notKnown`: neither credited nor declined, so
 * `credit` is called.
 */
export type HostCreditKnowledge = HostCreditOutcome | { readonly notKnown: true }

/** A host's wallet system. If the host has no wallet, Surety's own ledger holds consumers' money. */
export interface HostWallet {
  /**
   * Credits the consumer's primary wallet. Must credit only once for each `refundId`. `declined` is final, and the
   * merchant sees its reason. A rejection, any other response, or none within 10 seconds leaves the outcome unknown.
   * Surety then calls the wallet again with the same `refundId`.
   */
  readonly credit: (credit: HostCredit) => Promise<HostCreditOutcome>
  /**
   * Looks up a credit that an earlier attempt may have made, before `credit` is called. After a rejection, any other
   * response, or none within 5 seconds, the refund stays `PENDING` for another lookup. Without this method, Surety
   * calls `credit` without a lookup. In the host's transaction, called only if `creditInTransaction` exists.
   */
  lookup?(query: HostCreditQuery): Promise<HostCreditKnowledge>
  /**
   * For a wallet in Surety's database: credits through the connection of the refund's transaction
   * (`surety.inTransaction`). Wallet, refund and the host's other rows then commit or roll back together. This method's
   * writes are undone unless it returns `{ credited: true }` within 10 seconds. Use only this connection: its `query`
   * rejects once the method has ended or timed out. The method must not call Surety on the transaction's connection.
   * Calls on one connection run one at a time, so the inner call would wait for this method to end.
   *
   * Without this method, the call that creates a refund in a transaction fails with `RefundOutcomeUnknown`. The
   * workers, or a retry with the same idempotency key, call the wallet after the commit. So money never moves for a
   * change that may be rolled back.
   */
  creditInTransaction?(credit: HostCredit, connection: HostConnection): Promise<HostCreditOutcome>
}

const Outcome = Schema.Union([
  Schema.Struct({ credited: Schema.Literal(true) }),
  Schema.Struct({ declined: Schema.String })
])

const Knowledge = Schema.Union([Outcome, Schema.Struct({ notKnown: Schema.Literal(true) })])

/** Decodes a wallet's response to `credit`. Fails for any other form, including extra fields. */
export const readCredit = reading(Outcome, "exactly { credited: true } or { declined: string }")

/** Decodes a wallet's response to `lookup`. Fails for any other form, including extra fields. */
export const readKnowledge = reading(
  Knowledge,
  "exactly { credited: true }, { declined: string } or { notKnown: true }"
)

const outcomeOf = (answer: HostCreditOutcome): WalletOutcome =>
  "declined" in answer ? { _tag: "Declined", reason: answer.declined } : { _tag: "Credited" }

const knowledgeOf = (answer: HostCreditKnowledge): WalletKnowledge =>
  "notKnown" in answer ? { _tag: "NotKnown" } : outcomeOf(answer)

const unavailable = (cause: unknown) => new WalletUnavailable({ cause })

const answered = <A>(ask: () => Promise<unknown>, read: ReadAnswer<A>): Effect.Effect<A, WalletUnavailable> =>
  Effect.tryPromise({ try: async () => ask(), catch: unavailable }).pipe(
    Effect.flatMap((answer) => Effect.fromResult(Result.mapError(read(answer), unavailable)))
  )

const asked = (
  ask: (credit: HostCredit) => Promise<unknown>,
  credit: HostCredit
): Effect.Effect<WalletOutcome, WalletUnavailable> =>
  Effect.map(
    answered(() => ask(credit), readCredit),
    outcomeOf
  )

/** A host's transaction, and the wallet's method for it. */
interface Joined {
  readonly connection: HostConnection
  readonly ask: NonNullable<HostWallet["creditInTransaction"]>
}

/**
 * Returns the open transaction of the host, or undefined if none is open. Fails with `WalletDeferred` if the transaction
 * is Surety's own, or the wallet has no method for a host's.
 */
const joined = (wallet: HostWallet): Effect.Effect<Joined | undefined, WalletDeferred> =>
  Effect.flatMap(HostTransaction, (connection) => {
    if (connection === undefined) return Effect.undefined
    const ask = wallet.creditInTransaction?.bind(wallet)
    return connection === "deferred" || ask === undefined
      ? Effect.fail(new WalletDeferred())
      : Effect.succeed({ connection, ask })
  })

const lookupOf = (wallet: HostWallet): Pick<Wallet["Service"], "lookup"> => {
  const find = wallet.lookup?.bind(wallet)
  if (find === undefined) return {}
  return {
    lookup: Effect.fnUntraced(function* ({ refundId, scope: { environment, merchantId } }) {
      yield* joined(wallet)
      return knowledgeOf(yield* answered(() => find({ refundId, merchantId, environment }), readKnowledge))
    })
  }
}

const walletSavepoint = "surety_wallet"

const isCredited = (exit: Exit.Exit<WalletOutcome, unknown>): boolean =>
  Exit.isSuccess(exit) && exit.value._tag === "Credited"

/** Credits in the host's transaction under a savepoint, which is rolled back unless the wallet reports the credit. */
const askedWithin = ({ ask, connection }: Joined, credit: HostCredit) => {
  const lent = lentConnection(connection)
  return asked((given) => ask(given, lent.connection), credit).pipe(
    Effect.ensuring(Effect.sync(lent.takeBack)),
    underSavepoint<WalletOutcome, WalletUnavailable>(connection, walletSavepoint, isCredited),
    Effect.catchTag("HostTransactionRefused", (cause) => Effect.fail(unavailable(cause)))
  )
}

/**
 * Layer of `Wallet` over the host's wallet. In a host's transaction, a credit calls `creditInTransaction`, or fails
 * with `WalletDeferred` if the wallet has no such method. In Surety's own transaction (`deferred`), it always fails
 * with `WalletDeferred`. A lookup is deferred like a credit.
 */
export const layer = (wallet: HostWallet): Layer.Layer<Wallet> =>
  Layer.succeed(Wallet, {
    credit: Effect.fnUntraced(function* ({ amount, paymentId, refundId, scope, userId }) {
      const within = yield* joined(wallet)
      const credit: HostCredit = {
        refundId,
        merchantId: scope.merchantId,
        environment: scope.environment,
        transactionId: paymentId,
        userId,
        amountMinor: amount.minor,
        currency: amount.currency
      }
      return yield* within === undefined ? asked((given) => wallet.credit(given), credit) : askedWithin(within, credit)
    }),
    ...lookupOf(wallet)
  })
