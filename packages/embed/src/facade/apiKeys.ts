import { ApiKeyId, MerchantId } from "@surety/core/Ids"
import { shownText } from "@surety/core/input/ShownText"
import { Moment } from "@surety/core/input/Text"
import { OverlapSeconds } from "@surety/core/input/WebhookFields"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { KeyScopes } from "@surety/core/merchant/KeyScope"
import { ApiKeyNotFound } from "@surety/core/merchant/MerchantError"
import { DateTime, Duration, Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { InvalidInput } from "../Outcome.js"
import { plainApiKey, plainIssuedApiKey } from "../record/Merchants.js"
import { whole } from "./input/paging.js"
import { scopeFields } from "./input/scopeAndPerson.js"

const options = {
  name: Schema.optionalKey(shownText(120)),
  scopes: Schema.optionalKey(KeyScopes),
  expiresAt: Schema.optionalKey(Moment)
}

const rotation = {
  merchantId: MerchantId,
  apiKeyId: ApiKeyId,
  overlapSeconds: Schema.optionalKey(OverlapSeconds),
  expiresAt: options.expiresAt
}

const defaultOverlap = 86_400

const expiryPast = new InvalidInput({
  faults: [
    {
      path: ["expiresAt"],
      code: "expiry_past",
      detail: "Expected a time in the future. Omit it for a key that does not expire."
    }
  ]
})

const requireFuture = Effect.fnUntraced(function* (expiresAt: DateTime.Utc | undefined) {
  if (expiresAt !== undefined && !DateTime.isGreaterThan(expiresAt, yield* DateTime.now)) return yield* expiryPast
})

/** Merchants' secret API keys. */
export const apiKeys = (run: Run) => ({
  /**
   * Creates a key. `scopes` limit what the key may do; by default, the key has all scopes. Only this result contains
   * the secret. Fails with `MerchantNotActive` if the merchant's status does not allow keys for the environment.
   */
  create: call(run, Schema.Struct({ ...scopeFields, ...options }), ({ environment, merchantId, ...more }) =>
    Effect.gen(function* () {
      yield* requireFuture(more.expiresAt)
      const service = yield* ApiKeys
      return plainIssuedApiKey(yield* service.issue(merchantId, environment, more))
    })
  ),

  /**
   * Replaces a key with a new one that has the same name and scopes. The old key stays valid for at most
   * `overlapSeconds`: 0 to 604,800 (7 days), default 86,400 (24 hours). Use 0 for a leaked key. Even then, other
   * processes may accept the old key for 3 seconds. The new key does not expire unless `expiresAt` is given. Only this
   * result contains the new secret. Fails with `ApiKeyNotFound` if the old key is unknown, revoked or expired.
   */
  rotate: call(run, Schema.Struct(rotation), ({ apiKeyId, merchantId, overlapSeconds = defaultOverlap, ...more }) =>
    Effect.gen(function* () {
      yield* requireFuture(more.expiresAt)
      const service = yield* ApiKeys
      const overlap = Duration.seconds(overlapSeconds)
      return plainIssuedApiKey(yield* service.rotate(merchantId, apiKeyId, { ...more, overlap }))
    })
  ),

  /** Newest first, including revoked and expired keys. */
  list: call(run, Schema.Struct({ merchantId: MerchantId }), ({ merchantId }) =>
    Effect.gen(function* () {
      const service = yield* ApiKeys
      const keys = yield* service.list(merchantId)
      return whole(keys.map(plainApiKey))
    })
  ),

  /**
   * Revokes a key. This process refuses the key immediately. Other processes do so within 3 seconds, because they cache
   * lookups. Returns the revoked key.
   */
  revoke: call(run, Schema.Struct({ merchantId: MerchantId, apiKeyId: ApiKeyId }), ({ apiKeyId, merchantId }) =>
    Effect.gen(function* () {
      const service = yield* ApiKeys
      yield* service.revoke(merchantId, apiKeyId)
      const revoked = (yield* service.list(merchantId)).find(({ id }) => id === apiKeyId)
      return revoked === undefined ? yield* new ApiKeyNotFound({ apiKeyId }) : plainApiKey(revoked)
    })
  )
})
