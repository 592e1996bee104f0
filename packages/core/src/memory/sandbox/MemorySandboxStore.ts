import { DateTime, Effect, Layer, Option } from "effect"
import type { MerchantId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { type AdvanceOutcome, farthestSeconds, type SandboxSettings, SandboxStore } from "../../sandbox/SandboxStore.js"
import { isOf, MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

const scopeOf = (merchantId: MerchantId): MerchantScope => ({ merchantId, environment: "TEST" })

const sandboxIn = (state: State, merchantId: MerchantId): SandboxSettings =>
  state.sandboxes.get(merchantId) ?? { refundsEnabled: true, clockSeconds: 0 }

/** Returns true if the operator allows the merchant's refunds. In TEST, the merchant's own switch must be on too. */
export const mayRefundIn = (state: State, { environment, merchantId }: MerchantScope): boolean =>
  (state.merchants.get(merchantId)?.settings.refundsEnabled ?? false) &&
  (environment === "LIVE" || sandboxIn(state, merchantId).refundsEnabled)

const settingsIn = (state: State, merchantId: MerchantId): Option.Option<SandboxSettings> =>
  state.merchants.has(merchantId)
    ? Option.some({ ...sandboxIn(state, merchantId), refundsEnabled: mayRefundIn(state, scopeOf(merchantId)) })
    : Option.none()

const bringForward = (state: State, merchantId: MerchantId, seconds: number): void => {
  const scope = scopeOf(merchantId)
  const sooner = (at: DateTime.Utc): DateTime.Utc => DateTime.subtract(at, { seconds })
  for (const [id, stored] of state.dataRequests) {
    const { notifyAt, request } = stored
    if (!isOf(scope, request) || request.status !== "PENDING") continue
    const moved = { ...request, expiresAt: sooner(request.expiresAt) }
    state.dataRequests.set(id, { ...stored, request: moved, notifyAt: notifyAt && sooner(notifyAt) })
  }
  for (const [id, grant] of state.grants) {
    if (!isOf(scope, grant) || grant.status !== "ACTIVE") continue
    state.grants.set(id, { ...grant, expiresAt: sooner(grant.expiresAt) })
  }
  for (const [key, stored] of state.deliveries) {
    const { nextAttemptAt } = stored.delivery
    if (!isOf(scope, stored.delivery) || nextAttemptAt === undefined) continue
    state.deliveries.set(key, { ...stored, delivery: { ...stored.delivery, nextAttemptAt: sooner(nextAttemptAt) } })
  }
  for (const [id, endpoint] of state.endpoints) {
    if (!isOf(scope, endpoint) || endpoint.failingSince === undefined) continue
    state.endpoints.set(id, { ...endpoint, failingSince: sooner(endpoint.failingSince) })
  }
  for (const [id, stored] of state.verifications) {
    if (!isOf(scope, stored.verification) || stored.dueAt === undefined) continue
    const { nextAction } = stored.verification
    const verification =
      nextAction === undefined
        ? stored.verification
        : { ...stored.verification, nextAction: { ...nextAction, expiresAt: sooner(nextAction.expiresAt) } }
    state.verifications.set(id, { ...stored, verification, dueAt: sooner(stored.dueAt) })
  }
}

const advance = (state: State, merchantId: MerchantId, seconds: number): AdvanceOutcome => {
  const settings = sandboxIn(state, merchantId)
  const clockSeconds = settings.clockSeconds + seconds
  if (clockSeconds > farthestSeconds) return { _tag: "TooFar", clockSeconds: settings.clockSeconds }
  bringForward(state, merchantId, seconds)
  state.sandboxes.set(merchantId, { ...settings, clockSeconds })
  return { _tag: "Advanced", clockSeconds }
}

export const make = (state: State): SandboxStore["Service"] =>
  SandboxStore.of({
    find: (merchantId) => Effect.sync(() => settingsIn(state, merchantId)),

    switchRefunds: (merchantId, refundsEnabled) =>
      Effect.sync(() => {
        if (state.merchants.has(merchantId)) {
          state.sandboxes.set(merchantId, { ...sandboxIn(state, merchantId), refundsEnabled })
        }
        return settingsIn(state, merchantId)
      }),

    advanceClock: (merchantId, seconds) =>
      Effect.sync(() =>
        state.merchants.has(merchantId) ? Option.some(advance(state, merchantId, seconds)) : Option.none()
      ),

    lapseRequest: (merchantId, id, at) =>
      Effect.sync(() => {
        const stored = state.dataRequests.get(id)
        if (stored === undefined || !isOf(scopeOf(merchantId), stored.request)) return
        if (stored.request.status !== "PENDING" || DateTime.isLessThanOrEqualTo(stored.request.expiresAt, at)) return
        state.dataRequests.set(id, { ...stored, request: { ...stored.request, expiresAt: at } })
      }),

    lapseGrant: (merchantId, id, at) =>
      Effect.sync(() => {
        const grant = state.grants.get(id)
        if (grant === undefined || !isOf(scopeOf(merchantId), grant)) return
        if (grant.status !== "ACTIVE" || DateTime.isLessThanOrEqualTo(grant.expiresAt, at)) return
        state.grants.set(id, { ...grant, expiresAt: at })
      })
  })

export const layer: Layer.Layer<SandboxStore, never, MemoryState> = Layer.effect(
  SandboxStore,
  Effect.map(MemoryState, make)
)
