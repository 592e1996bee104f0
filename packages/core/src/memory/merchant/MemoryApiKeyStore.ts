import { DateTime, Effect, Layer, Option, Order } from "effect"
import type { ApiKey } from "../../merchant/ApiKey.js"
import { ApiKeyStore, type IssueOutcome, type RotateOutcome } from "../../merchant/ApiKeyStore.js"
import type { MerchantStatus } from "../../merchant/Merchant.js"
import { requireThat } from "../ConstraintViolated.js"
import { MemoryState } from "../MemoryState.js"

const newestFirst = Order.flip(Order.mapInput(Order.String, ({ id }: ApiKey) => id))

const issueIn = (state: MemoryState["Service"], key: ApiKey, statuses: ReadonlyArray<MerchantStatus>): IssueOutcome => {
  const merchant = state.merchants.get(key.merchantId)
  if (merchant === undefined) return { _tag: "MerchantMissing" }
  if (!statuses.includes(merchant.status)) return { _tag: "StatusForbids", status: merchant.status }
  requireThat(!state.apiKeys.has(key.hash), "an API key's hash is new", key.id)
  state.apiKeys.set(key.hash, key)
  return { _tag: "Issued" }
}

export const make = (state: MemoryState["Service"]): ApiKeyStore["Service"] =>
  ApiKeyStore.of({
    issue: (key, statuses) => Effect.sync(() => issueIn(state, key, statuses)),

    rotate: ({ next, replaced, until }, statuses) =>
      Effect.sync((): RotateOutcome => {
        const old = [...state.apiKeys.values()].find(
          ({ environment, id, merchantId, revokedAt }) =>
            id === replaced &&
            merchantId === next.merchantId &&
            environment === next.environment &&
            revokedAt === undefined
        )
        if (old === undefined) return { _tag: "KeyMissing" }
        const outcome = issueIn(state, next, statuses)
        if (outcome._tag !== "Issued") return outcome
        state.apiKeys.set(old.hash, { ...old, expiresAt: DateTime.min(old.expiresAt ?? until, until) })
        return outcome
      }),

    findByHash: (hash) =>
      Effect.sync(() => {
        const key = state.apiKeys.get(hash)
        const merchant = key && state.merchants.get(key.merchantId)
        return key && merchant
          ? Option.some({ key, merchantName: merchant.profile.name, status: merchant.status })
          : Option.none()
      }),

    list: (merchantId) =>
      Effect.sync(() => [...state.apiKeys.values()].filter((key) => key.merchantId === merchantId).sort(newestFirst)),

    revoke: (merchantId, id, at) =>
      Effect.sync(() => {
        const key = [...state.apiKeys.values()].find((stored) => stored.id === id && stored.merchantId === merchantId)
        if (key === undefined) return "key_unknown"
        if (key.revokedAt !== undefined) return "revoked_before"
        state.apiKeys.set(key.hash, { ...key, revokedAt: at })
        return "revoked"
      })
  })

export const layer: Layer.Layer<ApiKeyStore, never, MemoryState> = Layer.effect(
  ApiKeyStore,
  Effect.map(MemoryState, make)
)
