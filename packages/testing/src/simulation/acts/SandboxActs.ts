import { EndpointEvents } from "@surety/core/event/EndpointEvents"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import type { ApiKey } from "@surety/core/merchant/ApiKey"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { RequestStore } from "@surety/core/request/RequestStore"
import { Sandbox } from "@surety/core/sandbox/Sandbox"
import { SandboxStore } from "@surety/core/sandbox/SandboxStore"
import { DateTime, Duration, Effect } from "effect"
import { type Act, callAs, type Scene, scopeOf } from "./Scene.js"

/**
 * A merchant controls its TEST environment: expires a request or a grant, advances the test clock, switches refunds on
 * or off, or reads the sandbox's settings.
 */
export const steer = (scene: Scene, act: Act): void => {
  const { world } = scene
  const scope = scene.scopes.find(({ environment }) => environment === "TEST")
  if (scope === undefined) return
  const { merchantId } = scope
  const isTheirs = (record: MerchantScope) => record.merchantId === merchantId && record.environment === "TEST"
  const request = [...world.state.dataRequests.values()].map((stored) => stored.request).findLast(isTheirs)
  const grant = [...world.state.grants.values()].findLast(isTheirs)
  // TEST records are rare, so the act prefers to expire an existing record.
  const step = act.draw.weighted([
    [request === undefined ? 0 : 2, 0],
    [grant === undefined ? 0 : 4, 1],
    [1, 2],
    [1, 3],
    [1, 4]
  ])
  callAs(scene, {
    act,
    does: `steers the sandbox of ${world.nameOf(merchantId)}`,
    call: Effect.gen(function* () {
      const sandbox = yield* Sandbox
      if (step === 0 && request !== undefined) yield* sandbox.expireRequest(merchantId, request.id)
      if (step === 1 && grant !== undefined) yield* sandbox.expireGrant(merchantId, grant.id)
      if (step === 2) yield* sandbox.advanceClock(merchantId, act.draw.pick([1, 3_600]))
      if (step === 3) yield* sandbox.switchRefunds(merchantId, act.draw.chance(0.8))
      if (step === 4) yield* (yield* SandboxStore).find(merchantId)
    }),
    repeats: 1
  })
}

/**
 * Logs a request as if made with this API key. Returns at most 5 of the merchant's newest log entries in the key's
 * environment.
 */
const logRequest = Effect.fnUntraced(function* ({ environment, id, last4, merchantId }: ApiKey, requestId: string) {
  const store = yield* RequestStore
  const at = yield* DateTime.now
  const request = { method: "GET", route: "/v1/whoami", status: 200, requestId }
  yield* store.append([{ merchantId, environment, apiKeyId: id, keyLast4: last4, ...request, at }])
  const filter = { status: undefined, route: undefined }
  return (yield* store.list({ merchantId, environment }, filter, { limit: 5, cursor: undefined })).data
})

/**
 * A merchant creates, uses, perhaps replaces, and revokes an API key. The key's secret must authenticate only that
 * merchant in that environment, and must fail once the key is replaced or revoked.
 */
export const holdKey = (scene: Scene, act: Act): void => {
  const { world } = scene
  const { environment, merchantId } = scopeOf(scene, act.draw)
  const rotates = act.draw.chance(0.5)
  const call = Effect.gen(function* () {
    const keys = yield* ApiKeys
    const issued = yield* keys.issue(merchantId, environment)
    const principal = yield* keys.authenticate(issued.secret)
    const logged = yield* logRequest(issued.key, act.label)
    const { key } = rotates ? yield* keys.rotate(merchantId, issued.key.id, { overlap: Duration.zero }) : issued
    yield* keys.revoke(merchantId, key.id)
    const last = yield* keys.list(merchantId)
    const revoked = last.find(({ id }) => id === key.id)
    return {
      principal,
      logged,
      isRevoked: revoked?.revokedAt !== undefined,
      again: yield* Effect.option(keys.authenticate(issued.secret))
    }
  })
  callAs(scene, {
    act,
    does: `makes a key of ${world.nameOf(merchantId)} and takes it back`,
    call,
    repeats: 1,
    onSuccess: ({ again, isRevoked, logged, principal }) => {
      const areTheirs = logged.every((entry) => entry.merchantId === merchantId && entry.environment === environment)
      world.require(areTheirs, "own_records_only", () => "a request log shows another merchant's request")
      world.require(logged.length > 0, "told_iff_committed", () => "a request log lacks the request that it was given")
      const isTheirs = principal.merchantId === merchantId && principal.environment === environment
      world.require(isTheirs, "own_records_only", () => "a key is another merchant's")
      world.require(isRevoked && again._tag === "None", "own_records_only", () => "a key that was taken back opens")
    }
  })
}

/** A merchant tests, enables or replaces an endpoint, recovers its missed events, or registers another endpoint. */
export const tryEndpoint = (scene: Scene, act: Act): void => {
  const { world } = scene
  const disabled = scene.endpoints.filter(({ id }) => world.state.endpoints.get(id)?.status === "DISABLED")
  const { id, scope } = act.draw.pick(disabled.length > 0 && act.draw.chance(0.5) ? disabled : scene.endpoints)
  const { environment, merchantId } = scope
  const step = act.draw.weighted([
    [4, "tests"],
    [4, "recovers"],
    [2, "enables"],
    [0.7, "removes"],
    [0.4, "registers beside"]
  ] as const)
  callAs(scene, {
    act,
    does: `${step} ${world.nameOf(id)}`,
    call: Effect.gen(function* () {
      const events = yield* EndpointEvents
      const endpoints = yield* WebhookEndpoints
      if (step === "tests") yield* events.sendTest(merchantId, id, undefined)
      if (step === "enables") {
        yield* Effect.flatMap(events.enable(merchantId, id, {}, "missed"), events.sendMissed)
      }
      if (step === "recovers") {
        const until = yield* DateTime.now
        yield* events.recover(merchantId, id, { since: DateTime.subtract(until, { hours: 2 }), until })
      }
      if (step === "removes") yield* endpoints.remove(merchantId, id)
      if (step === "removes" || step === "registers beside") {
        yield* endpoints.register(merchantId, {
          // Differs in each act, because a receiver is found by its url.
          url: `https://receiver-new.example/hooks/${act.label.replaceAll(" ", "-")}`,
          environment,
          topics: undefined
        })
      }
    }),
    repeats: 1
  })
}
