import { DateTime, Effect, Layer, Option } from "effect"
import { MerchantStore } from "../../merchant/MerchantStore.js"
import { requireThat } from "../ConstraintViolated.js"
import { pageOf } from "../MemoryPages.js"
import { MemoryState } from "../MemoryState.js"

export const make = (state: MemoryState["Service"]): MerchantStore["Service"] =>
  MerchantStore.of({
    insert: (merchant, change) =>
      Effect.sync(() => {
        for (const { businessCode } of state.merchants.values()) {
          if (businessCode === merchant.businessCode) return false
        }
        requireThat(!state.merchants.has(merchant.id), "a merchant's id is new", merchant.id)
        state.merchants.set(merchant.id, merchant)
        state.merchantHistory.set(merchant.id, [change])
        return true
      }),

    find: (id) => Effect.sync(() => Option.fromUndefinedOr(state.merchants.get(id))),

    transition: (change) =>
      Effect.sync(() => {
        const merchant = state.merchants.get(change.merchantId)
        if (merchant === undefined || merchant.status !== change.from) return false
        state.merchants.set(merchant.id, { ...merchant, status: change.to, updatedAt: change.at })
        state.merchantHistory.set(merchant.id, [...(state.merchantHistory.get(merchant.id) ?? []), change])
        return true
      }),

    saveSettings: (id, settings, at) =>
      Effect.sync(() => {
        const merchant = state.merchants.get(id)
        if (merchant === undefined) return false
        state.merchants.set(id, { ...merchant, settings, updatedAt: at })
        return true
      }),

    history: (id) => Effect.sync(() => state.merchantHistory.get(id) ?? []),

    list: (page) =>
      Effect.sync(() =>
        pageOf(state.merchants.values(), ({ createdAt, id }) => ({ at: DateTime.toEpochMillis(createdAt), id }), page)
      )
  })

export const layer: Layer.Layer<MerchantStore, never, MemoryState> = Layer.effect(
  MerchantStore,
  Effect.map(MemoryState, make)
)
