import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Environment } from "../Environment.js"
import * as Traceparent from "../event/Traceparent.js"
import { EventId, type PaymentId, RefundId, TransferId } from "../Ids.js"
import { IdempotencyInProgress, IdempotencyKeyReused } from "../idempotency/IdempotencyError.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import { type Answered, Responses } from "../idempotency/Responses.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import { Keyring } from "../secret/Keyring.js"
import { decideRefund, type RefundContext } from "./decideRefund.js"
import { HostRefunds, layer as hostRefundsLayer, layerLedger } from "./HostRefunds.js"
import type { Refund } from "./Refund.js"
import { canonicalRefund, type RefundCommand } from "./RefundCommand.js"
import { RefundNotFound, RefundRefused } from "./RefundError.js"
import { type RefundFilter, RefundStore } from "./RefundStore.js"
import { Wallet } from "./Wallet.js"

/**
 * The refund is pending: the wallet was not called, or it is unknown whether the wallet credited the consumer. A retry
 * with the same key never pays twice.
 */
export class RefundOutcomeUnknown extends Schema.TaggedError<RefundOutcomeUnknown>(
  "@surety/core/refund/Refunds/RefundOutcomeUnknown"
)("RefundOutcomeUnknown", { refundId: RefundId, retryAfterSeconds: Schema.Int }) {
  override get message(): string {
    return `The refund is pending: the wallet has not confirmed the credit. Retry with the same key in ${this.retryAfterSeconds} s.`
  }
}

export type RefundFailed =
  | RefundRefused
  | IdempotencyKeyReused
  | IdempotencyInProgress
  | RefundOutcomeUnknown
  | StoreError

export interface AnsweredRefund extends Answered {
  readonly refund: Refund
}

/** Refunds of settled wallet payments (specification 4.2, contract 10). */
export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Creates a refund, finishes the pending refund of the same key, or replays the response stored under the key. On
     * success, the refund is completed: its money is credited and `refund.completed` is committed. After
     * `RefundOutcomeUnknown`, `IdempotencyInProgress` or a retryable `StoreError`, the outcome is unknown: retry with
     * the same key.
     */
    readonly create: (
      scope: MerchantScope,
      key: IdempotencyKey,
      command: RefundCommand
    ) => Effect.Effect<AnsweredRefund, RefundFailed>

    readonly get: (scope: MerchantScope, id: RefundId) => Effect.Effect<Refund, RefundNotFound | StoreError>

    /** Lists refunds, newest first. If `paymentId` is defined, only those of that payment. */
    readonly list: (
      scope: MerchantScope,
      filter: { readonly paymentId: PaymentId | undefined },
      page: PageRequest
    ) => Effect.Effect<Page<Refund>, StoreError>

    /** Finds a refund of any merchant and environment. For the operator and the host. */
    readonly getAny: (id: RefundId) => Effect.Effect<Refund, RefundNotFound | StoreError>

    /** Lists matching refunds of any merchant, newest first. For the operator and the host. */
    readonly listAll: (filter: RefundFilter, page: PageRequest) => Effect.Effect<Page<Refund>, StoreError>
  }
>()("@surety/core/refund/Refunds") {}

/** Default of `Patience`, and the delay after which a caller may retry (contract 6). */
export const patience = Duration.seconds(5)

/**
 * How long a call waits while another worker settles the refund of the same key. Zero for a call inside a transaction
 * of Surety's own, which must not stay open while a host's wallet responds.
 */
export const Patience = Context.Reference<Duration.Duration>("@surety/core/refund/Refunds/Patience", {
  defaultValue: () => patience
})

const recheckEvery = Duration.millis(100)

type CustodyOf = (environment: Environment) => RefundContext["custody"]

const make = Effect.fnUntraced(function* (custodyOf: CustodyOf) {
  const store = yield* RefundStore
  const keyring = yield* Keyring
  const random = yield* SecureRandom.SecureRandom
  const { refund: responseOf } = yield* Responses
  const host = yield* HostRefunds

  const nextIds = Effect.all({ refundId: RefundId.next, transferId: TransferId.next, eventId: EventId.next }).pipe(
    Effect.provideService(SecureRandom.SecureRandom, random)
  )

  /** Settles a pending refund. `None` if another worker has leased or settled it. */
  const resume = (id: RefundId) =>
    host.finish(id).pipe(
      Effect.map(Option.map((completed) => ({ ...completed, replayed: false }))),
      Effect.catchTag(["WalletUnavailable", "WalletDeferred"], () =>
        Effect.fail(new RefundOutcomeUnknown({ refundId: id, retryAfterSeconds: Duration.toSeconds(patience) }))
      ),
      Effect.catchTag("WalletDeclined", (reason) => Effect.fail(new RefundRefused({ reason })))
    )

  /** Refunds are never deleted, so a missing one is a defect. */
  const storedRefund = (scope: MerchantScope, id: RefundId) =>
    Effect.map(
      store.find(scope, id),
      Option.getOrThrowWith(() => new Error(`refund ${id} has a response but is missing`))
    )

  const create: Refunds["Service"]["create"] = Effect.fnUntraced(
    function* (scope: MerchantScope, idempotencyKey: IdempotencyKey, command: RefundCommand) {
      const fingerprints = yield* keyring.fingerprints(canonicalRefund(command))
      const traceparent = yield* Traceparent.current
      const lookup = { scope, idempotencyKey, paymentId: command.paymentId, reference: command.reference }
      const giveUpAt = DateTime.addDuration(yield* DateTime.now, yield* Patience)
      let created: RefundId | undefined

      while (true) {
        // Each attempt gets new ids. If an earlier attempt's refund has since failed, the key is free, and this attempt
        // creates another refund.
        const context: RefundContext = {
          ...(yield* nextIds),
          scope,
          idempotencyKey,
          fingerprints,
          now: yield* DateTime.now,
          custody: custodyOf(scope.environment),
          traceparent,
          responseOf
        }
        const decision = yield* store.execute(lookup, (snapshot) => decideRefund(snapshot, command, context))
        switch (decision._tag) {
          case "Replay":
            return {
              refund: yield* storedRefund(scope, decision.refundId),
              response: decision.answer,
              // Another worker may have completed the refund that this call created.
              replayed: decision.refundId !== created
            }
          case "KeyReused":
            return yield* new IdempotencyKeyReused()
          case "Refuse":
            return yield* new RefundRefused({ reason: decision.reason })
          case "Execute":
            if (decision.plan.answer !== undefined) {
              return { refund: decision.plan.refund, response: decision.plan.answer, replayed: false }
            }
            created = decision.plan.refund.id
        }
        const refundId = decision._tag === "Pending" ? decision.refundId : decision.plan.refund.id
        const finished = yield* resume(refundId)
        if (Option.isSome(finished)) return finished.value
        if (DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, giveUpAt)) {
          return yield* new IdempotencyInProgress({ retryAfterSeconds: Duration.toSeconds(patience) })
        }
        yield* Effect.sleep(recheckEvery)
      }
      // The span omits the stack trace, which is rarely needed and would be captured for every refund.
    },
    Effect.withSpan("Refunds.create", undefined, { captureStackTrace: false })
  )

  const get = Effect.fn("Refunds.get")(function* (scope: MerchantScope, id: RefundId) {
    const refund = yield* store.find(scope, id)
    if (Option.isNone(refund)) return yield* new RefundNotFound({ refundId: id })
    return refund.value
  })

  const getAny = Effect.fn("Refunds.getAny")(function* (id: RefundId) {
    const refund = yield* store.findAny(id)
    if (Option.isNone(refund)) return yield* new RefundNotFound({ refundId: id })
    return refund.value
  })

  return Refunds.of({ create, get, list: store.list, getAny, listAll: store.listAll })
})

/**
 * Refunds to wallets in Surety's ledger. The commit that creates a refund completes it, except for TEST refunds whose
 * outcome the sandbox plays.
 */
export const layer: Layer.Layer<
  Refunds | HostRefunds,
  never,
  RefundStore | Keyring | Responses | SecureRandom.SecureRandom
> = Layer.effect(
  Refunds,
  make(() => "LEDGER")
).pipe(Layer.provideMerge(layerLedger))

/**
 * Refunds to a host's own wallet, pending until the wallet credits the consumer or declines. In environments that the
 * wallet does not serve, the ledger is the wallet. `RefundRecovery.worker` must also run, in this process or another.
 * It settles refunds that a crash or an unavailable wallet left pending.
 */
export const layerHostWallet: Layer.Layer<
  Refunds | HostRefunds,
  never,
  RefundStore | Keyring | Responses | SecureRandom.SecureRandom | Wallet
> = Layer.effect(
  Refunds,
  Effect.flatMap(Wallet, ({ environments }) =>
    make((environment) => (environments?.includes(environment) === false ? "LEDGER" : "HOST"))
  )
).pipe(Layer.provideMerge(hostRefundsLayer))
