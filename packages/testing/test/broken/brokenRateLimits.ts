import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import * as TokenBucket from "@surety/core/limit/TokenBucket"
import * as Laws from "@surety/testing/limit/RateLimitStoreLaws"
import { Clock, Effect } from "effect"
import { type Broken, broken, lookThenAct } from "./Broken.js"

type Store = RateLimitStore["Service"]

const limiting = (how: string, wrongly: (sound: Store) => Partial<Store>, caughtBy: Broken["caughtBy"]): Broken =>
  broken(RateLimitStore, how, wrongly, caughtBy)

/** Leases from buckets of its own, by a measure that is wrong. */
const leasing = (wrongly: (limit: RateLimit) => RateLimit): Store["lease"] => {
  const buckets = new Map<string, TokenBucket.TokenBucket>()
  return (limit, key, demand) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const taken = TokenBucket.take(wrongly(limit), buckets.get(limit.name + key), now, demand)
      buckets.set(limit.name + key, taken.bucket)
      return taken.grant
    })
}

/** Buckets that stores with a race read and write in two steps. */
const racing = (): Store["lease"] => {
  const buckets = new Map<string, TokenBucket.TokenBucket>()
  return (limit, key, demand) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      lookThenAct(
        () => buckets.get(key),
        (bucket) =>
          Effect.sync(() => {
            const taken = TokenBucket.take(limit, bucket, now, demand)
            buckets.set(key, taken.bucket)
            return taken.grant
          })
      )
    )
}

export const brokenStores: ReadonlyArray<Broken> = [
  limiting("gives one token too many", () => ({ lease: leasing((limit) => ({ ...limit, burst: limit.burst + 1 })) }), [
    Laws.givesBurst,
    Laws.holdsNoMore
  ]),
  limiting(
    "gives whatever is wanted",
    (sound) => ({ lease: (limit, key, { wanted }) => sound.lease(limit, key, { needed: wanted, wanted }) }),
    [Laws.leavesForOthers]
  ),
  limiting("looks and takes in two steps", () => ({ lease: racing() }), [Laws.neverGivesTwice]),
  limiting(
    "has one bucket for all",
    (sound) => ({ lease: (limit, _, demand) => sound.lease(limit, "everybody", demand) }),
    [Laws.keepsApart]
  ),
  limiting(
    "fills ten times as fast",
    () => ({ lease: leasing((limit) => ({ ...limit, perSecond: limit.perSecond * 10 })) }),
    [Laws.refills]
  ),
  limiting("fills more slowly than it tells", () => {
    const lease = leasing((limit) => ({ ...limit, perSecond: limit.perSecond / 20 }))
    return {
      lease: (limit, key, demand) =>
        Effect.map(lease(limit, key, demand), (grant) => ({ ...grant, waitMillis: grant.waitMillis / 20 }))
    }
  }, [Laws.refills]),
  limiting("forgets nothing", () => ({ forgetFull: Effect.succeed(0) }), [Laws.forgetsFull])
]
