import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Currency } from "../Currency.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import { ConsumerStore } from "../consumer/ConsumerStore.js"
import { ConsumerNotFound } from "../consumer/Consumers.js"
import type { Environment } from "../Environment.js"
import { type MerchantId, TransferId } from "../Ids.js"
import { isSameRequest } from "../idempotency/Fingerprint.js"
import { IdempotencyKeyReused } from "../idempotency/IdempotencyError.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { Money } from "../Money.js"
import { MerchantNotFound } from "../merchant/MerchantError.js"
import { MerchantStore } from "../merchant/MerchantStore.js"
import type { OperatorActionDraft } from "../operator/OperatorAction.js"
import type { StoreError } from "../StoreError.js"
import { Keyring } from "../secret/Keyring.js"
import type { AdjustmentDirection, OperatorTransfer, OperatorTransferKind } from "./OperatorTransfer.js"
import { type KeyedTransfer, OperatorTransferStore } from "./OperatorTransferStore.js"

/** The account's balance does not cover the transfer. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>(
  "@surety/core/ledger/OperatorTransfers/InsufficientBalance"
)("InsufficientBalance", { currency: Currency, balanceMinor: Schema.BigInt }) {
  override get message(): string {
    return "The account's balance is less than the transfer's amount."
  }
}

/** Owner of the account that a transfer debits or credits. */
export type TransferParty = { readonly merchantId: MerchantId } | { readonly serviceId: ConsumerId }

/**
 * A transfer to post. A payout takes money from a merchant, a withdrawal from a consumer. Funding and adjustments
 * concern a merchant or a consumer.
 */
export interface OperatorTransferInput {
  readonly kind: OperatorTransferKind
  /** For adjustments only. Default: `CREDIT`. */
  readonly direction?: AdjustmentDirection
  readonly environment: Environment
  readonly amount: Money
  readonly party: TransferParty
  readonly reason: string
}

/** A posted transfer. `replayed` is true if an earlier call with the key posted it. */
export interface PostedTransfer {
  readonly posted: OperatorTransfer
  readonly replayed: boolean
}

/** Failures of `post`. After a `StoreError` the transfer may have been posted: repeat the call with the same key. */
export type PostFailed = MerchantNotFound | ConsumerNotFound | InsufficientBalance | IdempotencyKeyReused | StoreError

/** Money moved by the operator or the host: payouts, withdrawals, funding and adjustments (contract 15.2). */
export class OperatorTransfers extends Context.Service<
  OperatorTransfers,
  {
    /**
     * Posts a transfer once per key and environment. A repeat with the same input returns the first transfer; different
     * input fails with `IdempotencyKeyReused`. If no transfer is stored under the key, the party must exist, and
     * `admit` runs before the transfer is posted. If `admit` fails, nothing is posted.
     */
    readonly post: <E = never>(
      idempotencyKey: IdempotencyKey,
      input: OperatorTransferInput,
      admit?: Effect.Effect<void, E>
    ) => Effect.Effect<PostedTransfer, PostFailed | E>
  }
>()("@surety/core/ledger/OperatorTransfers") {}

const canonical = (
  { amount, environment, kind, party, reason }: OperatorTransferInput,
  direction: AdjustmentDirection | undefined
): string =>
  JSON.stringify([
    "operator.transfer",
    environment,
    kind,
    direction ?? null,
    amount.currency,
    amount.minor.toString(),
    "merchantId" in party ? party.merchantId : null,
    "serviceId" in party ? party.serviceId : null,
    reason
  ])

export const layer: Layer.Layer<
  OperatorTransfers,
  never,
  OperatorTransferStore | MerchantStore | ConsumerStore | Keyring | SecureRandom.SecureRandom
> = Layer.effect(
  OperatorTransfers,
  Effect.gen(function* () {
    const store = yield* OperatorTransferStore
    const merchants = yield* MerchantStore
    const consumers = yield* ConsumerStore
    const keyring = yield* Keyring
    const random = yield* SecureRandom.SecureRandom

    const ownerOf = Effect.fnUntraced(function* (environment: Environment, party: TransferParty) {
      if ("merchantId" in party) {
        const { merchantId } = party
        if (Option.isNone(yield* merchants.find(merchantId))) return yield* new MerchantNotFound({ merchantId })
        return { merchantId }
      }
      const { serviceId } = party
      const consumer = yield* consumers.findByServiceId(environment, serviceId)
      if (Option.isNone(consumer)) return yield* new ConsumerNotFound({ serviceId })
      return { serviceId, userId: consumer.value.userId }
    })

    const post = Effect.fn("OperatorTransfers.post")(function* <E = never>(
      idempotencyKey: IdempotencyKey,
      input: OperatorTransferInput,
      admit?: Effect.Effect<void, E>
    ): Effect.fn.Return<PostedTransfer, PostFailed | E> {
      const { amount, environment, kind, party, reason } = input
      const direction = kind === "ADJUSTMENT" ? (input.direction ?? "CREDIT") : undefined
      const fingerprints = yield* keyring.fingerprints(canonical(input, direction))
      const replayOf = (earlier: KeyedTransfer) =>
        isSameRequest(earlier.fingerprint, fingerprints)
          ? Effect.succeed({ posted: earlier.posted, replayed: true })
          : Effect.fail(new IdempotencyKeyReused())
      // Precedes `ownerOf`, which fails once the person is erased. A repeat must still return the first transfer.
      const earlier = yield* store.find(environment, idempotencyKey)
      if (Option.isSome(earlier)) return yield* replayOf(earlier.value)
      const posted: OperatorTransfer = {
        id: yield* Effect.provideService(TransferId.next, SecureRandom.SecureRandom, random),
        kind,
        ...(direction === undefined ? {} : { direction }),
        environment,
        amount,
        ...(yield* ownerOf(environment, party)),
        reason,
        at: yield* DateTime.now
      }
      if (admit !== undefined) yield* admit
      const outcome = yield* store.post({ posted, idempotencyKey, fingerprint: fingerprints[0] })
      switch (outcome._tag) {
        case "Posted":
          return { posted, replayed: false }
        case "Existing":
          return yield* replayOf(outcome)
        case "Insufficient":
          return yield* new InsufficientBalance({ currency: amount.currency, balanceMinor: outcome.balanceMinor })
      }
    })

    return OperatorTransfers.of({ post })
  })
)

/** Describes a posted transfer as an operator's action. */
export const transferPosted = ({
  amount,
  direction,
  environment,
  id,
  kind,
  merchantId,
  reason,
  serviceId
}: OperatorTransfer): OperatorActionDraft => ({
  kind: "transfer.posted",
  target: id,
  environment,
  ...(merchantId === undefined ? {} : { merchantId }),
  ...(serviceId === undefined ? {} : { serviceId }),
  reason,
  changes: [
    { field: "kind", to: kind },
    ...(direction === undefined ? [] : [{ field: "direction", to: direction }]),
    { field: "amountMinor", to: amount.minor.toString() },
    { field: "currency", to: amount.currency }
  ]
})
