import { Array as Arr, Context, DateTime, Effect, Layer, Option } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { ConsumerStore } from "../../consumer/ConsumerStore.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { AskingBlockNotFound } from "../ConsentError.js"
import { type ConsentListing, ConsentLog } from "../ConsentLog.js"
import { ConsentStore } from "../ConsentStore.js"
import type { DataRequest } from "../request/DataRequest.js"
import { type AskingBlock, type AskingBlockReason, blockOf } from "./AskingBlock.js"

/** Manages the blocks that stop a merchant from asking a person. A `NOT_ME` denial creates one automatically. */
export class AskingBlocks extends Context.Service<
  AskingBlocks,
  {
    /** Blocks the request's merchant from asking the request's person again (`STOP_ASKING`). Idempotent. */
    readonly create: (request: DataRequest) => Effect.Effect<void, StoreError>

    /** Lists active blocks, newest first. */
    readonly list: (listing: ConsentListing, page: PageRequest) => Effect.Effect<Page<AskingBlock>, StoreError>

    /** Finds the active block between a merchant and a person. `None` if none is active or the person is unknown. */
    readonly find: (
      scope: MerchantScope,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<AskingBlock>, StoreError>

    /**
     * Lets the merchant ask the person again. Returns the reason of the lifted block. With `reason`, lifts only a block
     * with that reason, so a `NOT_ME` that has since replaced a `STOP_ASKING` stays. Fails with `AskingBlockNotFound`
     * if no such block is in force, or if the person is unknown.
     */
    readonly lift: (
      scope: MerchantScope,
      serviceId: ConsumerId,
      reason?: AskingBlockReason
    ) => Effect.Effect<AskingBlockReason, AskingBlockNotFound | StoreError>
  }
>()("@surety/core/consent/asking/AskingBlocks") {}

export const layer: Layer.Layer<AskingBlocks, never, ConsentStore | ConsentLog | ConsumerStore> = Layer.effect(
  AskingBlocks,
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const log = yield* ConsentLog
    const consumers = yield* ConsumerStore

    const create = Effect.fn("AskingBlocks.create")(function* (request: DataRequest) {
      yield* store.block(blockOf(request, "STOP_ASKING", yield* DateTime.now))
    })

    const list = Effect.fn("AskingBlocks.list")((listing: ConsentListing, page: PageRequest) =>
      log.listBlocks(listing, { userId: undefined }, page)
    )

    const find = Effect.fn("AskingBlocks.find")(function* (scope: MerchantScope, serviceId: ConsumerId) {
      const consumer = yield* consumers.findByServiceId(scope.environment, serviceId)
      if (Option.isNone(consumer)) return Option.none()
      const { userId } = consumer.value
      return Arr.head((yield* log.listBlocks(scope, { userId }, { limit: 1, cursor: undefined })).data)
    })

    const lift = Effect.fn("AskingBlocks.lift")(function* (
      scope: MerchantScope,
      serviceId: ConsumerId,
      reason?: AskingBlockReason
    ) {
      const consumer = yield* consumers.findByServiceId(scope.environment, serviceId)
      if (Option.isNone(consumer)) return yield* new AskingBlockNotFound()
      const lifted = yield* store.liftBlock(scope, consumer.value.userId, yield* DateTime.now, reason)
      if (lifted === undefined) return yield* new AskingBlockNotFound()
      yield* Effect.logInfo("Asking block lifted").pipe(Effect.annotateLogs({ ...scope, reason: lifted }))
      return lifted
    })

    return AskingBlocks.of({ create, list, find, lift })
  })
)
