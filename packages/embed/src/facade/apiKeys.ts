import { ApiKeyId, MerchantId } from "@surety/core/Ids"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainApiKey, plainIssuedApiKey } from "../record/Merchants.js"
import { scopeFields } from "./scope.js"

/** Merchants' secret keys. */
export const apiKeys = (run: Run) => ({
  /** Creates a key. Only this result has its secret. */
  create: call(run, Schema.Struct(scopeFields), ({ environment, merchantId }) =>
    Effect.gen(function* () {
      const service = yield* ApiKeys
      return plainIssuedApiKey(yield* service.issue(merchantId, environment))
    })
  ),

  /** Newest first, revoked ones too. */
  list: call(run, Schema.Struct({ merchantId: MerchantId }), ({ merchantId }) =>
    Effect.gen(function* () {
      const service = yield* ApiKeys
      const keys = yield* service.list(merchantId)
      return keys.map(plainApiKey)
    })
  ),

  /** Takes effect at once in this process, within seconds in others. */
  revoke: call(run, Schema.Struct({ merchantId: MerchantId, apiKeyId: ApiKeyId }), ({ apiKeyId, merchantId }) =>
    Effect.flatMap(ApiKeys, (service) => service.revoke(merchantId, apiKeyId))
  )
})
