import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import * as TokenBucket from "@surety/core/limit/TokenBucket"
import { KeyCanaryStore } from "@surety/core/secret/KeyCanaryStore"
import * as Limits from "@surety/testing/limit/RateLimitStoreLaws"
import * as Canaries from "@surety/testing/secret/KeyCanaryStoreLaws"
import { Clock, Effect } from "effect"
import { asking, type Broken, broken, faultsOf, instead, lookThenAct } from "./Fault.js"

type Lease = RateLimitStore["Service"]["lease"]

/** Builds a faulty `lease` that keeps its own buckets and applies a changed limit. */
const measuring = (change: (limit: RateLimit) => RateLimit) => (): Lease => {
  const buckets = new Map<string, TokenBucket.TokenBucket>()
  return (limit, key, demand) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const taken = TokenBucket.take(change(limit), buckets.get(limit.name + key), now, demand)
      buckets.set(limit.name + key, taken.bucket)
      return taken.portion
    })
}

const racing = (): Lease => {
  const buckets = new Map<string, TokenBucket.TokenBucket>()
  return (limit, key, demand) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      lookThenAct(
        () => buckets.get(key),
        (bucket) =>
          Effect.sync(() => {
            const taken = TokenBucket.take(limit, bucket, now, demand)
            buckets.set(key, taken.bucket)
            return taken.portion
          })
      )
    )
}

/** Builds a faulty `lease` that dies if `fullAtMillis` has a fraction, as a STRICT table of SQLite does. */
const inWholeMillis = (): Lease => {
  const buckets = new Map<string, TokenBucket.TokenBucket>()
  return (limit, key, demand) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { bucket, portion } = TokenBucket.take(limit, buckets.get(key), now, demand)
      if (!Number.isInteger(bucket.fullAtMillis)) throw new Error("cannot store REAL value in INTEGER column")
      buckets.set(key, bucket)
      return portion
    })
}

const ofLimits = faultsOf(RateLimitStore)

const limits: ReadonlyArray<Broken> = [
  instead(
    ofLimits("lease", "gives one token too many", Limits.givesBurst, Limits.holdsNoMore),
    measuring((limit) => ({ ...limit, burst: limit.burst + 1 }))
  ),
  asking(ofLimits("lease", "gives all that is wanted", Limits.leavesForOthers), ([limit, key, { wanted }]) => [
    limit,
    key,
    { needed: wanted, wanted }
  ]),
  instead(ofLimits("lease", "reads and takes in two steps", Limits.neverGivesTwice), racing),
  asking(ofLimits("lease", "has one bucket for all", Limits.keepsApart), ([limit, , demand]) => [
    limit,
    "one caller",
    demand
  ]),
  instead(
    ofLimits("lease", "refills ten times as fast", Limits.refills),
    measuring((limit) => ({ ...limit, perSecond: limit.perSecond * 10 }))
  ),
  instead(ofLimits("lease", "refills more slowly than it reports", Limits.refills), () => {
    const lease = measuring((limit) => ({ ...limit, perSecond: limit.perSecond / 20 }))()
    return (limit, key, demand) =>
      Effect.map(lease(limit, key, demand), (portion) => ({ ...portion, waitMillis: portion.waitMillis / 20 }))
  }),
  instead(ofLimits("lease", "stores no part of a millisecond", Limits.takesAnyRate), inWholeMillis),
  broken(RateLimitStore, "forgets nothing", [Limits.forgetsFull], () => ({ forgetFull: Effect.succeed(0) }))
]

const canaries: ReadonlyArray<Broken> = [
  broken(KeyCanaryStore, "keeps no canary", [Canaries.keepsCanaries, Canaries.admitsInTurn], ({ admit }) => ({
    admit: (now, decide) => admit(now, (known) => ({ ...decide(known), canary: undefined }))
  })),
  broken(KeyCanaryStore, "reads the canaries before the commit", [Canaries.admitsInTurn], ({ admit }, state) => ({
    admit: (now, decide) =>
      lookThenAct(
        () => [...state.keyCanaries.values()],
        (known) => admit(now, (all) => decide({ ...all, canaries: known }))
      )
  })),
  broken(
    KeyCanaryStore,
    "ignores the keys of consent links",
    [Canaries.namesSealingKeys, Canaries.forgetsEndedSecrets],
    ({ admit }, state) => ({
      admit: (now, decide) =>
        Effect.suspend(() => {
          const secrets = [...state.endpoints.values()].flatMap((endpoint) => endpoint.secrets)
          return admit(now, (known) => decide({ ...known, sealedUnder: secrets.map(({ sealed }) => sealed.keyId) }))
        })
    })
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...limits, ...canaries]
