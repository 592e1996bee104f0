import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Effect, Option } from "effect"
import { after, answering, faultsOf, instead } from "../../faults/Fault.js"
import { type Mistake, ofStore } from "./Mistake.js"

const keys = faultsOf(ApiKeyStore)
const merchants = faultsOf(MerchantStore)

/** Mistakes in API keys and merchants. */
export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    "own_records_only",
    answering(
      keys("findByHash", "opens records by a key that was taken back"),
      Option.map(({ key: { expiresAt: _, revokedAt: __, ...key }, ...holder }) => ({ ...holder, key }))
    )
  ),
  ofStore(
    "refusals_are_true",
    instead(
      keys("findByHash", "forgets a key that was replaced by none"),
      (find) => (hash) =>
        Effect.map(
          find(hash),
          Option.filter(({ key }) => key.expiresAt !== undefined)
        )
    )
  ),
  ofStore(
    ["lifecycle", "one_action_a_change"],
    after(merchants("transition", "forgets why a merchant has its status"), (state, _, [{ merchantId }]) =>
      state.merchantHistory.set(merchantId, (state.merchantHistory.get(merchantId) ?? []).slice(0, 1))
    )
  ),
  ofStore(
    "lifecycle",
    after(merchants("saveSettings", "opens a closed merchant again"), (state, _, [id]) => {
      const merchant = state.merchants.get(id)
      if (merchant !== undefined) state.merchants.set(id, { ...merchant, status: "PENDING_REVIEW" })
    })
  )
]
