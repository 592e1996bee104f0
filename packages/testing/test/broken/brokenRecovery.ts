import { EventLog } from "@surety/core/event/EventLog"
import type { StoredDelivery } from "@surety/core/memory/MemoryState"
import * as Events from "@surety/testing/event/EventLogLaws"
import * as Recovery from "@surety/testing/event/EventRecoveryLaws"
import { DateTime, Effect } from "effect"
import { type Broken, broken, type State } from "./Broken.js"

/** Recovers while every stored delivery looks otherwise than it is. */
const disguising =
  (state: State, disguise: (stored: StoredDelivery) => StoredDelivery) =>
  <A, E>(recovery: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      for (const [key, stored] of state.deliveries) state.deliveries.set(key, disguise(stored))
      return recovery
    })

const failedInstead = (stored: StoredDelivery, status: StoredDelivery["delivery"]["status"]): StoredDelivery => {
  if (stored.delivery.status !== status) return stored
  const { nextAttemptAt: _, ...delivery } = stored.delivery
  return { ...stored, delivery: { ...delivery, status: "FAILED" }, leasedUntil: undefined }
}

const sendingAgain = (name: string, status: "DELIVERED" | "PENDING"): Broken =>
  broken(
    EventLog,
    name,
    (sound, state) => ({
      recover: (...asked) => disguising(state, (stored) => failedInstead(stored, status))(sound.recover(...asked))
    }),
    [Recovery.recoversUndelivered]
  )

export const brokenStores: ReadonlyArray<Broken> = [
  broken(EventLog, "lists whatever topic", (sound) => ({ list: (scope, page) => sound.list(scope, page) }), [
    Events.listsOneTopic
  ]),
  sendingAgain("recovers what was delivered", "DELIVERED"),
  sendingAgain("recovers what is on its way", "PENDING"),
  broken(
    EventLog,
    "recovers only what has failed",
    (sound, state) => ({
      recover: (scope, endpointId, range, now) =>
        Effect.suspend(() => {
          const known = new Set(state.deliveries.keys())
          return Effect.tap(sound.recover(scope, endpointId, range, now), () =>
            Effect.sync(() => {
              for (const key of state.deliveries.keys()) if (!known.has(key)) state.deliveries.delete(key)
            })
          )
        })
    }),
    [Recovery.recoversUndelivered, Recovery.recoversOwn]
  ),
  broken(
    EventLog,
    "takes the range's end in",
    (sound) => ({
      recover: (scope, endpointId, { since, until }, now) =>
        sound.recover(scope, endpointId, { since, until: DateTime.add(until, { milliseconds: 1 }) }, now)
    }),
    [Recovery.recoversRange]
  ),
  broken(
    EventLog,
    "recovers from the beginning of time",
    (sound) => ({
      recover: (scope, endpointId, { until }, now) =>
        sound.recover(scope, endpointId, { since: DateTime.makeUnsafe(0), until }, now)
    }),
    [Recovery.recoversRange]
  ),
  broken(
    EventLog,
    "recovers at whosever endpoint it is",
    (sound, state) => ({
      recover: (scope, endpointId, range, now) =>
        Effect.suspend(() => sound.recover(state.endpoints.get(endpointId) ?? scope, endpointId, range, now))
    }),
    [Recovery.recoversOwn]
  )
]
