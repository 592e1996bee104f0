import { Effect, Layer, Option } from "effect"
import { type Controller, controllerOf } from "../../consent/receipt/Receipt.js"
import type { MerchantId } from "../../Ids.js"
import { areSameSettings, type Merchant, type MerchantStatus } from "../../merchant/Merchant.js"
import { MerchantStore } from "../../merchant/MerchantStore.js"
import { ConstraintViolated, requireThat } from "../ConstraintViolated.js"
import { append, checkEvent } from "../event/MemoryOutbox.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

/** Returns the merchant in the form used in receipts. Throws `ConstraintViolated` if the merchant is unknown. */
export const controllerIn = (state: State, merchantId: MerchantId): Controller => {
  const merchant = state.merchants.get(merchantId)
  if (merchant === undefined)
    throw new ConstraintViolated({ constraint: "the merchant is stored", subject: merchantId })
  return controllerOf(merchant)
}

export const statusIn = (state: State, merchantId: MerchantId): MerchantStatus =>
  state.merchants.get(merchantId)?.status ?? "CLOSED"

export const ownPurposeIn = (state: State, merchantId: MerchantId): string | undefined =>
  state.merchants.get(merchantId)?.settings.purpose

export const returnUrlsIn = (state: State, merchantId: MerchantId): ReadonlyArray<string> =>
  state.merchants.get(merchantId)?.settings.returnUrls ?? []

export const make = (state: State): MerchantStore["Service"] =>
  MerchantStore.of({
    insert: (merchant, change, event) =>
      Effect.sync(() => {
        for (const { businessCode, externalId } of state.merchants.values()) {
          if (businessCode === merchant.businessCode) return false
          if (externalId !== undefined && externalId === merchant.externalId) return false
        }
        requireThat(!state.merchants.has(merchant.id), "a merchant's id is new", merchant.id)
        if (event !== undefined) checkEvent(state, event)
        state.merchants.set(merchant.id, merchant)
        state.merchantHistory.set(merchant.id, [change])
        if (event !== undefined) append(state, event, merchant.id)
        return true
      }),

    find: (id) => Effect.sync(() => Option.fromUndefinedOr(state.merchants.get(id))),

    findByExternalId: (externalId) =>
      Effect.sync(() => {
        for (const merchant of state.merchants.values()) {
          if (merchant.externalId === externalId) return Option.some(merchant)
        }
        return Option.none()
      }),

    transition: (change, event) =>
      Effect.sync(() => {
        const merchant = state.merchants.get(change.merchantId)
        if (merchant === undefined || merchant.status !== change.from) return false
        if (event !== undefined) checkEvent(state, event)
        state.merchants.set(merchant.id, { ...merchant, status: change.to, updatedAt: change.at })
        state.merchantHistory.set(merchant.id, [...(state.merchantHistory.get(merchant.id) ?? []), change])
        if (event !== undefined) append(state, event, merchant.id)
        return true
      }),

    saveSettings: (id, { from, to }, at) =>
      Effect.sync(() => {
        const merchant = state.merchants.get(id)
        if (merchant === undefined || !areSameSettings(merchant.settings, from)) return false
        state.merchants.set(id, { ...merchant, settings: to, updatedAt: at })
        return true
      }),

    history: (id) => Effect.sync(() => state.merchantHistory.get(id) ?? []),

    list: (page, status) =>
      listRecords(
        () => state.merchants.values(),
        { where: matches<Merchant>({ status }), position: ({ createdAt, id }) => positionAt(createdAt, id) },
        page
      )
  })

export const layer: Layer.Layer<MerchantStore, never, MemoryState> = Layer.effect(
  MerchantStore,
  Effect.map(MemoryState, make)
)
