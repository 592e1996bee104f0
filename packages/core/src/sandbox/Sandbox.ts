import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { DataRequestDecided, type DataRequestNotFound, type GrantNotFound } from "../consent/ConsentError.js"
import type { Grant } from "../consent/grant/Grant.js"
import { Grants } from "../consent/grant/Grants.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import { DataRequests } from "../consent/request/DataRequests.js"
import { DeliverySignal } from "../event/DeliverySignal.js"
import type { DataRequestId, GrantId, MerchantId } from "../Ids.js"
import { MerchantNotFound } from "../merchant/MerchantError.js"
import type { StoreError } from "../StoreError.js"
import { farthestSeconds, type SandboxSettings, SandboxStore } from "./SandboxStore.js"

/** The test clock cannot advance that far. It can still advance by `leftSeconds`. */
export class ClockTooFar extends Schema.TaggedError<ClockTooFar>("@surety/core/sandbox/Sandbox/ClockTooFar")(
  "ClockTooFar",
  { leftSeconds: Schema.Int }
) {
  override get message(): string {
    return `The test clock can move ${this.leftSeconds} s more, and no further.`
  }
}

/** The time of a merchant's test clock, and how far it is ahead of real time. */
export interface TestClock {
  readonly now: DateTime.Utc
  readonly advancedSeconds: number
}

/**
 * Lets a merchant advance its test clock, switch TEST refunds, and expire TEST data requests and grants (contract 14).
 * Never affects LIVE.
 */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly clock: (merchantId: MerchantId) => Effect.Effect<TestClock, MerchantNotFound | StoreError>

    /** Advances the test clock by `seconds`, a positive integer. */
    readonly advanceClock: (
      merchantId: MerchantId,
      seconds: number
    ) => Effect.Effect<TestClock, ClockTooFar | MerchantNotFound | StoreError>

    /**
     * Switches the merchant's TEST refunds on or off. They remain off while the operator has switched off the
     * merchant's refunds.
     */
    readonly switchRefunds: (
      merchantId: MerchantId,
      enabled: boolean
    ) => Effect.Effect<SandboxSettings, MerchantNotFound | StoreError>

    /** Expires a pending data request now. Fails with `DataRequestDecided` if the request is not pending. */
    readonly expireRequest: (
      merchantId: MerchantId,
      id: DataRequestId
    ) => Effect.Effect<DataRequest, DataRequestNotFound | DataRequestDecided | StoreError>

    /** Expires an active grant now. If the grant has already ended, returns it unchanged. */
    readonly expireGrant: (merchantId: MerchantId, id: GrantId) => Effect.Effect<Grant, GrantNotFound | StoreError>
  }
>()("@surety/core/sandbox/Sandbox") {}

const orNotFound =
  (merchantId: MerchantId) =>
  <A>(found: Option.Option<A>): Effect.Effect<A, MerchantNotFound> =>
    Option.match(found, { onNone: () => new MerchantNotFound({ merchantId }), onSome: Effect.succeed })

const clockAt = (advancedSeconds: number): Effect.Effect<TestClock> =>
  Effect.map(DateTime.now, (now) => ({ now: DateTime.add(now, { seconds: advancedSeconds }), advancedSeconds }))

export const layer: Layer.Layer<Sandbox, never, SandboxStore | DataRequests | Grants | DeliverySignal> = Layer.effect(
  Sandbox,
  Effect.gen(function* () {
    const store = yield* SandboxStore
    const requests = yield* DataRequests
    const grants = yield* Grants
    const signal = yield* DeliverySignal

    const clock = Effect.fn("Sandbox.clock")(function* (merchantId: MerchantId) {
      const { clockSeconds } = yield* Effect.flatMap(store.find(merchantId), orNotFound(merchantId))
      return yield* clockAt(clockSeconds)
    })

    const advanceClock = Effect.fn("Sandbox.advanceClock")(function* (merchantId: MerchantId, seconds: number) {
      const outcome = yield* Effect.flatMap(store.advanceClock(merchantId, seconds), orNotFound(merchantId))
      if (outcome._tag === "TooFar") {
        return yield* new ClockTooFar({ leftSeconds: farthestSeconds - outcome.clockSeconds })
      }
      yield* signal.notify
      return yield* clockAt(outcome.clockSeconds)
    })

    const switchRefunds = Effect.fn("Sandbox.switchRefunds")(function* (merchantId: MerchantId, enabled: boolean) {
      return yield* Effect.flatMap(store.switchRefunds(merchantId, enabled), orNotFound(merchantId))
    })

    const expireRequest = Effect.fn("Sandbox.expireRequest")(function* (merchantId: MerchantId, id: DataRequestId) {
      const target = { id, scope: { merchantId, environment: "TEST" } } as const
      const { status } = yield* requests.get(target)
      if (status !== "PENDING") return yield* new DataRequestDecided({ dataRequestId: id, status })
      yield* store.lapseRequest(merchantId, id, yield* DateTime.now)
      yield* requests.expire(id)
      const ended = yield* requests.get(target)
      return ended.status === "EXPIRED"
        ? ended
        : yield* new DataRequestDecided({ dataRequestId: id, status: ended.status })
    })

    const expireGrant = Effect.fn("Sandbox.expireGrant")(function* (merchantId: MerchantId, id: GrantId) {
      const target = { id, scope: { merchantId, environment: "TEST" } } as const
      const grant = yield* grants.get(target)
      if (grant.status !== "ACTIVE") return grant
      yield* store.lapseGrant(merchantId, id, yield* DateTime.now)
      yield* grants.expire(id)
      return yield* grants.get(target)
    })

    return Sandbox.of({ clock, advanceClock, switchRefunds, expireRequest, expireGrant })
  })
)
