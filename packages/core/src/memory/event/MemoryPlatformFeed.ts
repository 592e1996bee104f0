import { Array as Arr, DateTime, Effect, Layer } from "effect"
import { type LeasedStream, PlatformFeed, type StreamClaim, type StreamProgress } from "../../event/PlatformFeed.js"
import type { MerchantId } from "../../Ids.js"
import { MemoryState, type StoredStream } from "../MemoryState.js"

type State = MemoryState["Service"]

const streamsOf = ({ platformFeed }: State): ReadonlyArray<[MerchantId | "", StoredStream]> => [
  ...(platformFeed.streams ?? [])
]

const isLater = (at: DateTime.Utc | undefined, now: DateTime.Utc): boolean =>
  at !== undefined && DateTime.isGreaterThan(at, now)

const claimed = (state: State, { leasedUntil, limit, now, perStream }: StreamClaim): ReadonlyArray<LeasedStream> =>
  streamsOf(state)
    .filter(([, stored]) => !isLater(stored.leasedUntil, now) && !isLater(stored.retryAt, now))
    .flatMap(([key, stored]) => {
      const events = stored.unsent.slice(0, perStream)
      return Arr.isReadonlyArrayNonEmpty(events) ? [{ key, stored, events }] : []
    })
    .slice(0, limit)
    .map(({ events, key, stored }) => {
      const fence = stored.fence + 1
      state.platformFeed.streams?.set(key, { ...stored, fence, leasedUntil })
      return { merchantId: key === "" ? undefined : key, events, failures: stored.failures, fence }
    })

const settled = (state: State, { fence, merchantId }: LeasedStream, progress: StreamProgress): boolean => {
  const key = merchantId ?? ""
  const stored = state.platformFeed.streams?.get(key)
  if (stored === undefined || stored.fence !== fence || stored.leasedUntil === undefined) return false
  const { retryAt, sentThrough } = progress
  const before = sentThrough === undefined ? stored.failures : 0
  state.platformFeed.streams?.set(key, {
    unsent: stored.unsent.filter(({ sequence }) => sentThrough === undefined || sequence > sentThrough.sequence),
    failures: retryAt === undefined ? before : before + 1,
    retryAt,
    fence,
    leasedUntil: undefined
  })
  return true
}

export const make = (state: State): PlatformFeed["Service"] =>
  PlatformFeed.of({
    begin: Effect.sync(() => {
      if (state.platformFeed.streams !== undefined) return false
      state.platformFeed.streams = new Map()
      return true
    }),

    end: Effect.sync(() => {
      const wasOn = state.platformFeed.streams !== undefined
      // Fences never start over, so a lease from before the feed ended cannot match a later one.
      state.platformFeed.fence = Math.max(state.platformFeed.fence, ...streamsOf(state).map(([, { fence }]) => fence))
      state.platformFeed.streams = undefined
      return wasOn
    }),

    claim: (claim) => Effect.sync(() => claimed(state, claim)),

    settle: (leased, progress) => Effect.sync(() => settled(state, leased, progress)),

    stats: (_now, countLimit) =>
      Effect.sync(() => {
        const streams = streamsOf(state).map(([, stored]) => stored)
        const next = streams.flatMap(({ unsent: [first] }) => (first === undefined ? [] : [first.occurredAt]))
        const unsent = streams.reduce((sum, stored) => sum + stored.unsent.length, 0)
        return {
          isOn: state.platformFeed.streams !== undefined,
          backlog: Math.min(unsent, countLimit),
          oldestAt: next.length === 0 ? undefined : next.reduce(DateTime.min),
          failing: streams.filter(({ failures, unsent }) => failures > 0 && unsent.length > 0).length,
          healthy: streams.filter(({ failures, unsent }) => failures === 0 && unsent.length > 0).length
        }
      })
  })

export const layer: Layer.Layer<PlatformFeed, never, MemoryState> = Layer.effect(
  PlatformFeed,
  Effect.map(MemoryState, make)
)
