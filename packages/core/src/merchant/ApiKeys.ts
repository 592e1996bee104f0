import { Context, DateTime, Effect, Layer, Option, type Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { Environment } from "../Environment.js"
import { ApiKeyId, type MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import { type ApiKey, apiKeyHash, environmentOf, last4Of, nextSecret } from "./ApiKey.js"
import { ApiKeyStore } from "./ApiKeyStore.js"
import { KeyHolders } from "./KeyHolders.js"
import { type MerchantScope, MerchantStatus, mayUse } from "./Merchant.js"
import { ApiKeyNotFound, InvalidApiKey, MerchantNotActive, MerchantNotFound } from "./MerchantError.js"

/** The merchant and environment of a valid key. */
export interface Principal extends MerchantScope {
  readonly apiKeyId: ApiKeyId
  readonly merchantName: string
  readonly status: MerchantStatus
}

/** A new key. Its `secret` is shown only here. */
export interface IssuedApiKey {
  readonly key: ApiKey
  readonly secret: Redacted.Redacted<string>
}

/** Merchants' secret keys (contract 1.4, 5). */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Creates a key, if the merchant's status allows keys of this environment at the commit. */
    readonly issue: (
      merchantId: MerchantId,
      environment: Environment
    ) => Effect.Effect<IssuedApiKey, MerchantNotFound | MerchantNotActive | StoreError>

    /** Newest first, revoked ones too. */
    readonly list: (merchantId: MerchantId) => Effect.Effect<ReadonlyArray<ApiKey>, StoreError>

    /** Revokes a key: at once in this process, within `KeyHolders.rememberedFor` in others. */
    readonly revoke: (merchantId: MerchantId, id: ApiKeyId) => Effect.Effect<void, ApiKeyNotFound | StoreError>

    /**
     * The principal of a key. A key with a wrong checksum fails without a lookup. Does not check whether the merchant's
     * status allows the key: see `requireAccess`.
     */
    readonly authenticate: (secret: Redacted.Redacted<string>) => Effect.Effect<Principal, InvalidApiKey | StoreError>
  }
>()("@surety/core/merchant/ApiKeys") {}

/** Fails unless the merchant's status allows keys of the principal's environment. */
export const requireAccess = (principal: Principal): Effect.Effect<void, MerchantNotActive> =>
  mayUse(principal.status, principal.environment) ? Effect.void : Effect.fail(new MerchantNotActive(principal))

export const layer: Layer.Layer<ApiKeys, never, ApiKeyStore | KeyHolders | Digest.Digest | SecureRandom.SecureRandom> =
  Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom
      const holders = yield* KeyHolders

      const issue = Effect.fn("ApiKeys.issue")(
        function* (merchantId: MerchantId, environment: Environment) {
          const secret = yield* nextSecret(environment)
          const key: ApiKey = {
            id: yield* ApiKeyId.next,
            merchantId,
            environment,
            hash: yield* apiKeyHash(secret),
            last4: last4Of(secret),
            createdAt: yield* DateTime.now
          }
          const statuses = MerchantStatus.literals.filter((status) => mayUse(status, environment))
          const outcome = yield* store.issue(key, statuses)
          switch (outcome._tag) {
            case "Issued":
              return { key, secret }
            case "MerchantMissing":
              return yield* new MerchantNotFound({ merchantId })
            case "StatusForbids":
              return yield* new MerchantNotActive({ merchantId, environment, status: outcome.status })
          }
        },
        Effect.provideService(SecureRandom.SecureRandom, random),
        Effect.provideService(Digest.Digest, digest)
      )

      const revoke = Effect.fn("ApiKeys.revoke")(function* (merchantId: MerchantId, id: ApiKeyId) {
        const at = yield* DateTime.now
        if (!(yield* store.revoke(merchantId, id, at))) return yield* new ApiKeyNotFound({ apiKeyId: id })
        yield* holders.forget
      })

      const authenticate = Effect.fnUntraced(function* (secret: Redacted.Redacted<string>) {
        const environment = environmentOf(secret)
        if (environment === undefined) return yield* new InvalidApiKey()
        const hash = yield* Effect.provideService(apiKeyHash(secret), Digest.Digest, digest)
        const holder = yield* holders.find(hash)
        if (Option.isNone(holder)) return yield* new InvalidApiKey()
        const { key, merchantName, status } = holder.value
        if (key.revokedAt !== undefined || key.environment !== environment) return yield* new InvalidApiKey()
        return { merchantId: key.merchantId, environment, apiKeyId: key.id, merchantName, status }
      })

      return ApiKeys.of({ issue, list: store.list, revoke, authenticate })
    })
  )
