import { type AttemptRecorded, DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { append } from "@surety/core/memory/event/MemoryOutbox"
import { isOf } from "@surety/core/memory/MemoryState"
import { RefundStore } from "@surety/core/refund/RefundStore"
import * as Claims from "@surety/testing/event/DeliveryClaimLaws"
import * as Failing from "@surety/testing/event/DeliveryFailingLaws"
import * as Pace from "@surety/testing/event/DeliveryPaceLaws"
import * as Follow from "@surety/testing/event/EventFollowLaws"
import * as Tests from "@surety/testing/event/TestEventLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, type State } from "./Broken.js"

/** Does something to the state before each claim. */
const beforeClaims = (name: string, change: (state: State) => void, caughtBy: Broken["caughtBy"]): Broken =>
  broken(
    DeliveryQueue,
    name,
    (sound, state) => ({
      claim: (claim) =>
        Effect.suspend(() => {
          change(state)
          return sound.claim(claim)
        })
    }),
    caughtBy
  )

const paces: ReadonlyArray<Broken> = [
  beforeClaims("counts an endpoint's rate in each claim by itself", (state) => state.claimTimes.clear(), [
    Pace.holdsRate
  ]),
  broken(
    DeliveryQueue,
    "forgets what was given back",
    (sound, state) => ({
      release: (dues) =>
        Effect.andThen(
          sound.release(dues),
          Effect.sync(() => state.claimTimes.clear())
        )
    }),
    [Pace.countsWhatWasGivenBack]
  ),
  beforeClaims(
    "takes one endpoint's rate for everybody's",
    (state) => {
      const maxPerSecond = [...state.endpoints.values()].find((endpoint) => endpoint.maxPerSecond)?.maxPerSecond
      if (maxPerSecond === undefined) return
      for (const [id, endpoint] of state.endpoints) state.endpoints.set(id, { ...endpoint, maxPerSecond })
    },
    [Pace.rateIsItsOwn]
  ),
  broken(
    DeliveryQueue,
    "loses the trace",
    (sound) => ({
      claim: (claim) =>
        Effect.map(sound.claim(claim), (dues) =>
          dues.map(({ event: { traceparent: _, ...event }, ...due }) => ({ ...due, event }))
        )
    }),
    [Claims.carriesTrace, Claims.carriesTraceOfRefund]
  ),
  broken(
    RefundStore,
    "keeps no trace with a refund's event",
    (sound) => ({
      execute: (lookup, decide) =>
        sound.execute(lookup, (snapshot) => {
          const decision = decide(snapshot)
          if (decision._tag !== "Execute" || decision.plan.event === undefined) return decision
          const { traceparent: _, ...event } = decision.plan.event
          return { ...decision, plan: { ...decision.plan, event } }
        })
    }),
    [Claims.carriesTraceOfRefund]
  )
]

const telling = (
  name: string,
  wrongly: (recorded: AttemptRecorded, state: State) => AttemptRecorded,
  caughtBy: Broken["caughtBy"]
): Broken =>
  broken(
    DeliveryQueue,
    name,
    (sound, state) => ({
      record: (due, attempt, after) =>
        Effect.map(sound.record(due, attempt, after), (recorded) => wrongly(recorded, state))
    }),
    caughtBy
  )

const failing: ReadonlyArray<Broken> = [
  telling(
    "tells of the days again and again",
    (recorded, state) => {
      state.failingDays.clear()
      return recorded
    },
    [Failing.tellsDaysOnce]
  ),
  broken(
    DeliveryQueue,
    "remembers days that a success has ended",
    (sound, state) => ({
      record: (due, attempt, after) =>
        Effect.suspend(() => {
          const days = state.failingDays.get(due.endpoint.id) ?? 0
          return Effect.tap(sound.record(due, attempt, after), () =>
            Effect.sync(() => {
              const now = state.failingDays.get(due.endpoint.id) ?? 0
              state.failingDays.set(due.endpoint.id, Math.max(days, now))
            })
          )
        })
    }),
    [Failing.tellsDaysAnew]
  ),
  broken(
    DeliveryQueue,
    "disables whatever has become of the endpoint",
    (sound) => ({
      record: (due, attempt, after) =>
        sound.record(
          due,
          attempt,
          after._tag === "DisableEndpoint" ? { _tag: "DisableEndpoint", reason: after.reason } : after
        )
    }),
    [Failing.disablesWhatStillFails]
  ),
  telling("tells of every record that an endpoint is disabled", (recorded) => ({ ...recorded, disabled: true }), [
    Failing.tellsDisablingOnce
  ])
]

const follows: ReadonlyArray<Broken> = [
  broken(
    EventLog,
    "follows the events' times",
    (sound) => ({
      follow: (scope, { after, limit }) =>
        Effect.map(sound.follow(scope, { after: undefined, limit: 1_000 }), (events) => {
          const times = new Map(events.map(({ id, occurredAt }) => [id, occurredAt.epochMilliseconds]))
          const since = after === undefined ? Number.NEGATIVE_INFINITY : (times.get(after) ?? 0)
          return [...events]
            .sort((a, b) => a.occurredAt.epochMilliseconds - b.occurredAt.epochMilliseconds)
            .filter(({ occurredAt }) => occurredAt.epochMilliseconds > since)
            .slice(0, limit)
        })
    }),
    [Follow.followsCommits]
  ),
  broken(
    EventLog,
    "lets everybody follow",
    (_, state) => ({
      follow: (_scope, { limit }) =>
        Effect.sync(() => [...state.events.values()].map(({ event }) => event).slice(0, limit))
    }),
    [Follow.followsOwnOnly]
  )
]

const tests: ReadonlyArray<Broken> = [
  broken(
    EventLog,
    "sends a test to whoever wants the topic",
    (sound, state) => ({
      sendTest: (event) =>
        Effect.tap(sound.sendTest(event), () =>
          Effect.sync(() => {
            const { testFor: _, ...told } = event
            append(state, told, "nothing")
            state.events.set(event.id, { event, cause: "a test" })
          })
        )
    }),
    [Tests.sendsTest]
  ),
  broken(
    EventLog,
    "takes tests for what happened",
    (sound, state) => ({
      list: () =>
        Effect.sync(() => ({ data: [...state.events.values()].map(({ event }) => event), nextCursor: undefined })),
      follow: sound.follow
    }),
    [Tests.testsDidNotHappen]
  ),
  broken(
    EventLog,
    "keeps tests for nobody",
    (sound, state) => ({
      sendTest: (event) =>
        Effect.tap(sound.sendTest(event), (delivery) =>
          Effect.sync(() => {
            const isMerchants = [...state.endpoints.values()].some((endpoint) => isOf(event, endpoint))
            if (Option.isNone(delivery) && isMerchants) state.events.set(event.id, { event, cause: "a test" })
          })
        )
    }),
    [Tests.testsNeedEndpoint]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...paces, ...failing, ...follows, ...tests]
