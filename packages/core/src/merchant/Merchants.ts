import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { nextBusinessCode } from "../consumer/ConsumerId.js"
import { decideUntilCommitted } from "../decideUntilCommitted.js"
import { MerchantId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import { KeyHolders } from "./KeyHolders.js"
import {
  allowedTransitions,
  changedSettings,
  defaultMerchantSettings,
  type Merchant,
  type MerchantProfile,
  type MerchantSettingsChange,
  type MerchantStatus,
  type MerchantStatusChange
} from "./Merchant.js"
import { MerchantNotFound, StatusChangeNotAllowed } from "./MerchantError.js"
import { createdEvent, statusChangedEvent } from "./MerchantEvents.js"
import { MerchantStore } from "./MerchantStore.js"

/** Merchants, from application to closing (contract 3). */
export class Merchants extends Context.Service<
  Merchants,
  {
    /** Creates a merchant in `PENDING_REVIEW`, which may use TEST at once. */
    readonly apply: (profile: MerchantProfile, actor: string) => Effect.Effect<Merchant, StoreError>

    readonly get: (id: MerchantId) => Effect.Effect<Merchant, MerchantNotFound | StoreError>

    /** Changes a merchant's status and records who did it and why. */
    readonly changeStatus: (
      id: MerchantId,
      change: { readonly to: MerchantStatus; readonly actor: string; readonly reason: string | undefined }
    ) => Effect.Effect<Merchant, MerchantNotFound | StatusChangeNotAllowed | StoreError>

    /** Changes the given settings. Undefined ones stay. */
    readonly changeSettings: (
      id: MerchantId,
      change: MerchantSettingsChange
    ) => Effect.Effect<Merchant, MerchantNotFound | StoreError>

    /** Every change of status, oldest first. */
    readonly history: (
      id: MerchantId
    ) => Effect.Effect<ReadonlyArray<MerchantStatusChange>, MerchantNotFound | StoreError>

    /** Newest first. */
    readonly list: (page: PageRequest) => Effect.Effect<Page<Merchant>, StoreError>
  }
>()("@surety/core/merchant/Merchants") {}

export const layer: Layer.Layer<Merchants, never, MerchantStore | KeyHolders | SecureRandom.SecureRandom> =
  Layer.effect(
    Merchants,
    Effect.gen(function* () {
      const store = yield* MerchantStore
      const keyHolders = yield* KeyHolders
      const random = yield* SecureRandom.SecureRandom

      const apply = Effect.fn("Merchants.apply")(
        function* (profile: MerchantProfile, actor: string) {
          const draw = Effect.gen(function* () {
            const at = yield* DateTime.now
            const merchant: Merchant = {
              id: yield* MerchantId.next,
              businessCode: yield* nextBusinessCode,
              profile,
              settings: defaultMerchantSettings,
              status: "PENDING_REVIEW",
              createdAt: at,
              updatedAt: at
            }
            return merchant
          })
          return yield* decideUntilCommitted({
            load: Effect.void,
            decide: () => draw,
            commit: (merchant) =>
              Effect.flatMap(createdEvent(merchant), (event) =>
                store.insert(
                  merchant,
                  { merchantId: merchant.id, to: merchant.status, actor, at: merchant.createdAt },
                  event
                )
              )
          })
        },
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

      const get = Effect.fn("Merchants.get")(function* (id: MerchantId) {
        const merchant = yield* store.find(id)
        if (Option.isNone(merchant)) return yield* new MerchantNotFound({ merchantId: id })
        return merchant.value
      })

      const changeStatus = Effect.fn("Merchants.changeStatus")(
        function* (
          id: MerchantId,
          {
            actor,
            reason,
            to
          }: {
            readonly to: MerchantStatus
            readonly actor: string
            readonly reason: string | undefined
          }
        ) {
          const moved = yield* decideUntilCommitted({
            load: get(id),
            decide: (merchant) => {
              const allowed = allowedTransitions(merchant.status)
              return allowed.includes(to)
                ? Effect.map(DateTime.now, (at): Merchant => ({ ...merchant, status: to, updatedAt: at }))
                : Effect.fail(new StatusChangeNotAllowed({ merchantId: id, from: merchant.status, to, allowed }))
            },
            commit: ({ updatedAt }, { status }) => {
              const change: MerchantStatusChange = {
                merchantId: id,
                from: status,
                to,
                actor,
                at: updatedAt,
                ...(reason === undefined ? {} : { reason })
              }
              return Effect.flatMap(statusChangedEvent(change), (event) => store.transition(change, event))
            }
          })
          yield* keyHolders.forget
          return moved
        },
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

      const changeSettings = Effect.fn("Merchants.changeSettings")(function* (
        id: MerchantId,
        change: MerchantSettingsChange
      ) {
        const merchant = yield* get(id)
        const at = yield* DateTime.now
        const settings = changedSettings(merchant.settings, change)
        if (!(yield* store.saveSettings(id, settings, at))) return yield* new MerchantNotFound({ merchantId: id })
        return { ...merchant, settings, updatedAt: at }
      })

      const history = Effect.fn("Merchants.history")(function* (id: MerchantId) {
        yield* get(id)
        return yield* store.history(id)
      })

      return Merchants.of({ apply, get, changeStatus, changeSettings, history, list: store.list })
    })
  )
