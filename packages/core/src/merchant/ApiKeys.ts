import { Context, DateTime, type Duration, Effect, Layer, Option, type Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { Environment } from "../Environment.js"
import { ApiKeyId, type MerchantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import { type ApiKey, apiKeyHash, environmentOf, isKeyInForce, last4Of, nextSecret } from "./ApiKey.js"
import { ApiKeyStore, type IssueOutcome } from "./ApiKeyStore.js"
import { KeyHolders } from "./KeyHolders.js"
import type { KeyScope } from "./KeyScope.js"
import { type MerchantScope, MerchantStatus, mayUse } from "./Merchant.js"
import { ApiKeyNotFound, InvalidApiKey, MerchantNotActive, MerchantNotFound } from "./MerchantError.js"

/** The caller that a valid key identifies: a merchant, in the key's environment. */
export interface Principal extends MerchantScope {
  readonly apiKeyId: ApiKeyId
  readonly merchantName: string
  readonly status: MerchantStatus
  readonly keyLast4: string
  /** Scopes granted to the key. If undefined, the key has all scopes. */
  readonly scopes: ReadonlyArray<KeyScope> | undefined
}

/** Options for `ApiKeys.issue`. */
export interface KeyOptions {
  readonly name?: string
  /** Default: all scopes. */
  readonly scopes?: ReadonlyArray<KeyScope>
  /** Default: the key never expires. */
  readonly expiresAt?: DateTime.Utc
}

/** A new key. Its `secret` cannot be retrieved again. */
export interface IssuedApiKey {
  readonly key: ApiKey
  readonly secret: Redacted.Redacted<string>
}

/** Merchants' secret keys (contract 1.4, 5). */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * Creates a key. Fails with `MerchantNotActive` if, at commit, the merchant's status does not allow keys for this
     * environment.
     */
    readonly issue: (
      merchantId: MerchantId,
      environment: Environment,
      options?: KeyOptions
    ) => Effect.Effect<IssuedApiKey, MerchantNotFound | MerchantNotActive | StoreError>

    /**
     * Replaces a key with a new one of the same name and scopes. The old key stays valid for at most `overlap`; use 0
     * if it leaked. Other processes may accept it for `KeyHolders.rememberedFor` even if `overlap` is shorter. The new
     * key never expires unless `expiresAt` is given. Fails with `ApiKeyNotFound` if the old key is unknown or no
     * longer valid.
     */
    readonly rotate: (
      merchantId: MerchantId,
      id: ApiKeyId,
      rotation: { readonly overlap: Duration.Duration; readonly expiresAt?: DateTime.Utc }
    ) => Effect.Effect<IssuedApiKey, ApiKeyNotFound | MerchantNotFound | MerchantNotActive | StoreError>

    /** Lists the merchant's keys, newest first, including revoked and expired ones. */
    readonly list: (merchantId: MerchantId) => Effect.Effect<ReadonlyArray<ApiKey>, StoreError>

    /**
     * Revokes a key. The revocation takes effect immediately in this process, and within `KeyHolders.rememberedFor` in
     * others. Returns true only if this call revoked the key. A key revoked earlier keeps its revocation time.
     */
    readonly revoke: (merchantId: MerchantId, id: ApiKeyId) => Effect.Effect<boolean, ApiKeyNotFound | StoreError>

    /**
     * Returns the principal of a key. Fails with `InvalidApiKey` if the key is malformed, unknown, revoked or expired.
     * Rejects malformed keys and wrong checksums without a lookup. Does not check whether the merchant's status allows
     * the key; `requireAccess` does.
     */
    readonly authenticate: (secret: Redacted.Redacted<string>) => Effect.Effect<Principal, InvalidApiKey | StoreError>
  }
>()("@surety/core/merchant/ApiKeys") {}

/** Fails with `MerchantNotActive` unless the merchant's status allows keys for the principal's environment. */
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

      const draw = Effect.fnUntraced(
        function* (merchantId: MerchantId, environment: Environment, options: KeyOptions) {
          const secret = yield* nextSecret(environment)
          const key: ApiKey = {
            ...options,
            id: yield* ApiKeyId.next,
            merchantId,
            environment,
            hash: yield* apiKeyHash(secret),
            last4: last4Of(secret),
            createdAt: yield* DateTime.now
          }
          return { key, secret }
        },
        Effect.provideService(SecureRandom.SecureRandom, random),
        Effect.provideService(Digest.Digest, digest)
      )

      const statusesOf = (environment: Environment) =>
        MerchantStatus.literals.filter((status) => mayUse(status, environment))

      const stored = (issued: IssuedApiKey, outcome: IssueOutcome) => {
        const { environment, merchantId } = issued.key
        switch (outcome._tag) {
          case "Issued":
            return Effect.succeed(issued)
          case "MerchantMissing":
            return Effect.fail(new MerchantNotFound({ merchantId }))
          case "StatusForbids":
            return Effect.fail(new MerchantNotActive({ merchantId, environment, status: outcome.status }))
        }
      }

      const issue = Effect.fn("ApiKeys.issue")(function* (
        merchantId: MerchantId,
        environment: Environment,
        options: KeyOptions = {}
      ) {
        const issued = yield* draw(merchantId, environment, options)
        return yield* stored(issued, yield* store.issue(issued.key, statusesOf(environment)))
      })

      const rotate: ApiKeys["Service"]["rotate"] = Effect.fn("ApiKeys.rotate")(function* (
        merchantId,
        id,
        { expiresAt, overlap }
      ) {
        const now = yield* DateTime.now
        const old = (yield* store.list(merchantId)).find((key) => key.id === id && isKeyInForce(key, now))
        if (old === undefined) return yield* new ApiKeyNotFound({ apiKeyId: id })
        const issued = yield* draw(merchantId, old.environment, {
          ...(old.name === undefined ? {} : { name: old.name }),
          ...(old.scopes === undefined ? {} : { scopes: old.scopes }),
          ...(expiresAt === undefined ? {} : { expiresAt })
        })
        const rotation = { next: issued.key, replaced: id, until: DateTime.addDuration(now, overlap) }
        const outcome = yield* store.rotate(rotation, statusesOf(old.environment))
        if (outcome._tag === "KeyMissing") return yield* new ApiKeyNotFound({ apiKeyId: id })
        yield* holders.forget
        return yield* stored(issued, outcome)
      })

      const revoke = Effect.fn("ApiKeys.revoke")(function* (merchantId: MerchantId, id: ApiKeyId) {
        const at = yield* DateTime.now
        const outcome = yield* store.revoke(merchantId, id, at)
        if (outcome === "key_unknown") return yield* new ApiKeyNotFound({ apiKeyId: id })
        yield* holders.forget
        return outcome === "revoked"
      })

      const authenticate = Effect.fnUntraced(function* (secret: Redacted.Redacted<string>) {
        const environment = environmentOf(secret)
        if (environment === undefined) return yield* new InvalidApiKey()
        const hash = yield* Effect.provideService(apiKeyHash(secret), Digest.Digest, digest)
        const holder = yield* holders.find(hash)
        if (Option.isNone(holder)) return yield* new InvalidApiKey()
        const { key, merchantName, status } = holder.value
        if (!isKeyInForce(key, yield* DateTime.now) || key.environment !== environment) {
          return yield* new InvalidApiKey()
        }
        return {
          merchantId: key.merchantId,
          environment,
          apiKeyId: key.id,
          merchantName,
          status,
          keyLast4: key.last4,
          scopes: key.scopes
        }
      })

      return ApiKeys.of({ issue, rotate, list: store.list, revoke, authenticate })
    })
  )
