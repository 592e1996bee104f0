import { assert } from "@effect/vitest"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { maxEndpoints } from "@surety/core/event/WebhookEndpoint"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { openStatuses } from "@surety/core/merchant/Merchant"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { KeyCanaryStore, type KnownKeys } from "@surety/core/secret/KeyCanaryStore"
import type { SealedSecret } from "@surety/core/secret/Keyring"
import { DateTime, Effect, type Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"

export type KeyCanaryStorePorts = KeyCanaryStore | WebhookEndpointStore | ConsentStore | MerchantStore | ConsumerStore

const newCanary = (): SealedSecret => ({
  keyId: Fresh.randomText("key"),
  bytes: SecureRandom.randomBytesUnsafe(34)
})

/** Returns the known keys without storing a canary. */
const known = Effect.gen(function* () {
  const store = yield* KeyCanaryStore
  const decide = (answer: KnownKeys) => ({ answer, canary: undefined })
  return yield* store.admit(yield* Fresh.now, decide)
})

const canaryOf = ({ canaries }: KnownKeys, id: string) => canaries.filter(({ keyId }) => keyId === id)

export const keepsCanaries = law(
  "keeps the canary of a decision, byte for byte, and none if none is decided on",
  Effect.gen(function* () {
    const store = yield* KeyCanaryStore
    const canary = newCanary()
    const now = yield* Fresh.now
    assert.strictEqual(yield* store.admit(now, () => ({ answer: "no", canary: undefined })), "no")
    assert.deepStrictEqual(canaryOf(yield* known, canary.keyId), [])
    assert.strictEqual(yield* store.admit(now, () => ({ answer: "yes", canary })), "yes")
    assert.deepStrictEqual(canaryOf(yield* known, canary.keyId), [canary])
  })
)

export const admitsInTurn = law(
  "lets each of 10 that start at once decide on what the ones before have kept",
  Effect.gen(function* () {
    const store = yield* KeyCanaryStore
    const now = yield* Fresh.now
    const canaries = Array.from({ length: 10 }, newCanary)
    const ours = new Set(canaries.map(({ keyId }) => keyId))
    const first = (canary: SealedSecret) =>
      store.admit(now, (before) =>
        before.canaries.some(({ keyId }) => ours.has(keyId))
          ? { answer: "late", canary: undefined }
          : { answer: "first", canary }
      )
    const answers = yield* Effect.forEach(canaries, first, { concurrency: "unbounded" })
    assert.lengthOf(
      answers.filter((answer) => answer === "first"),
      1
    )
    assert.lengthOf(
      (yield* known).canaries.filter(({ keyId }) => ours.has(keyId)),
      1
    )
  })
)

export const namesSealingKeys = law(
  "names the keys of webhook secrets and consent links that are in use, and no longer those of what was removed",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshConsent.parties()
    const endpoints = yield* WebhookEndpointStore
    const [secretKey, linkKey] = [Fresh.randomText("key"), Fresh.randomText("key")]
    const sealing = Effect.map(known, ({ sealedUnder }) => [secretKey, linkKey].map((id) => sealedUnder.includes(id)))
    assert.deepStrictEqual(yield* sealing, [false, false])
    const endpoint = yield* FreshEndpoint.make(scope, { keyId: secretKey })
    yield* ConsentAttempt.asked(scope, consumer, { linkKeyId: linkKey })
    assert.deepStrictEqual(yield* sealing, [true, true])
    yield* endpoints.remove(endpoint.merchantId, endpoint.id)
    assert.deepStrictEqual(yield* sealing, [false, true])
  })
)

export const forgetsEndedSecrets = law(
  "counts a secret whose overlap has ended as no longer in use, and each key once",
  Effect.gen(function* () {
    const { scope } = yield* FreshConsent.parties()
    const endpoints = yield* WebhookEndpointStore
    const store = yield* KeyCanaryStore
    const keyId = Fresh.randomText("key")
    const endpoint = yield* FreshEndpoint.unstored(scope, { keyId })
    const expiresAt = Fresh.later(endpoint.createdAt, 60_000)
    const secrets = endpoint.secrets.map((secret) => ({ ...secret, expiresAt }))
    yield* endpoints.insert({ ...endpoint, secrets: [...secrets, ...secrets] }, maxEndpoints, openStatuses)
    yield* Effect.addFinalizer(() => Effect.ignore(endpoints.remove(endpoint.merchantId, endpoint.id)))
    const countAt = (at: DateTime.Utc) =>
      store.admit(at, ({ sealedUnder }) => ({
        answer: sealedUnder.filter((id) => id === keyId).length,
        canary: undefined
      }))
    assert.strictEqual(yield* countAt(endpoint.createdAt), 1)
    assert.strictEqual(yield* countAt(DateTime.addDuration(expiresAt, "1 second")), 0)
  })
)

export const laws = [keepsCanaries, admitsInTurn, namesSealingKeys, forgetsEndedSecrets]

export const suite: (adapter: string, layer: Layer.Layer<KeyCanaryStorePorts, unknown>) => void =
  suiteOf<KeyCanaryStorePorts>("KeyCanaryStore", laws)
