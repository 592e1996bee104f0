import { ApiKeyId, MerchantId } from "@surety/core/Ids"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { ApiKeyRecord, IssuedApiKeyRecord } from "@surety/http/merchant/MerchantsApi"
import { Effect, Redacted, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { scopeFields } from "./scope.js"

const record = plain(ApiKeyRecord)
const issued = plain(IssuedApiKeyRecord)

/** Merchants' secret keys. */
export const apiKeys = (run: Run) => ({
  /** Creates a key. Only this result has its secret. */
  create: call(run, Schema.Struct(scopeFields), ({ environment, merchantId }) =>
    Effect.gen(function* () {
      const service = yield* ApiKeys
      const { key, secret } = yield* service.issue(merchantId, environment)
      const { hash: _, revokedAt: __, ...shown } = key
      return issued({ ...shown, secret: Redacted.value(secret) })
    })
  ),

  /** Newest first, revoked ones too. */
  list: call(run, Schema.Struct({ merchantId: MerchantId }), ({ merchantId }) =>
    Effect.gen(function* () {
      const service = yield* ApiKeys
      const keys = yield* service.list(merchantId)
      return keys.map(({ hash: _, ...key }) => record(key))
    })
  ),

  /** Takes effect at once in this process, within seconds in others. */
  revoke: call(run, Schema.Struct({ merchantId: MerchantId, apiKeyId: ApiKeyId }), ({ apiKeyId, merchantId }) =>
    Effect.flatMap(ApiKeys, (service) => service.revoke(merchantId, apiKeyId))
  )
})
