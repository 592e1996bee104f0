import { DeliveryQueue, type DeliveryStats, type LaneStats } from "@surety/core/event/DeliveryQueue"
import * as Stats from "@surety/testing/event/DeliveryStatsLaws"
import { DateTime, Effect } from "effect"
import { type Broken, broken, type State } from "./Broken.js"

const telling = (
  name: string,
  wrongly: (stats: DeliveryStats, state: State) => DeliveryStats,
  caughtBy: Broken["caughtBy"]
): Broken =>
  broken(
    DeliveryQueue,
    name,
    (sound, state) => ({
      stats: (now, countLimit) => Effect.map(sound.stats(now, countLimit), (stats) => wrongly(stats, state))
    }),
    caughtBy
  )

/** The stats with something of the steady lane's replaced. */
const inSteady = (stats: DeliveryStats, change: Partial<LaneStats>): DeliveryStats => ({
  ...stats,
  lanes: { ...stats.lanes, steady: { ...stats.lanes.steady, ...change } }
})

export const brokenStores: ReadonlyArray<Broken> = [
  telling(
    "counts what is not due yet",
    (stats, { deliveries }) =>
      inSteady(stats, {
        backlog: [...deliveries.values()].filter(({ delivery }) => delivery.status === "PENDING").length
      }),
    [Stats.tellsBacklog, Stats.tellsLanes, Stats.countsUpToLimit, Stats.tellsDisabled]
  ),
  telling(
    "tells the moment that the latest became due",
    (stats, { deliveries }) =>
      inSteady(stats, {
        dueSince: [...deliveries.values()]
          .flatMap(({ delivery: { nextAttemptAt } }) => nextAttemptAt ?? [])
          .reduce<DateTime.Utc | undefined>((a, b) => (a === undefined ? b : DateTime.max(a, b)), undefined)
      }),
    [Stats.tellsBacklog, Stats.tellsLanes]
  ),
  telling(
    "tells one backlog for all endpoints",
    (stats) => {
      const all = Object.values(stats.lanes).find(({ backlog }) => backlog > 0)
      return all === undefined ? stats : { ...stats, lanes: { ...stats.lanes, steady: all } }
    },
    [Stats.tellsLanes]
  ),
  telling("tells of no disabled endpoints", (stats) => ({ ...stats, disabledEndpoints: 0 }), [Stats.tellsDisabled])
]
