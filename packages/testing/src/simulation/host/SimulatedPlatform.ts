import { type FeedEvent, PlatformFeed } from "@surety/core/event/PlatformFeed"
import type { EventId } from "@surety/core/Ids"
import type { StoredStream } from "@surety/core/memory/MemoryState"
import { DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import { observe } from "../world/observe.js"
import { Actor } from "../world/SimulatedProcess.js"
import type { World } from "../world/World.js"

/** The platform, which receives its own events and those of every merchant. */
export interface SimulatedPlatform {
  /** Posts an event. Returns true if the platform confirmed it. Hangs if no response arrives. */
  readonly post: (event: FeedEvent) => Effect.Effect<boolean>
  /** Calls `see` with each event that a commit stores for the platform. */
  readonly onFeed: (see: (event: FeedEvent) => void) => void
  /** True if an event is waiting to be sent. */
  readonly isWaiting: () => boolean
}

type Streams = World["state"]["platformFeed"]["streams"]

/** Events stored for the platform in one stream, in commit order. */
interface Kept {
  readonly order: Array<EventId>
  readonly bodies: Map<EventId, Set<string>>
}

export const makePlatform = (world: World): SimulatedPlatform => {
  const { platformFeed } = world.state
  const watchers: Array<(event: FeedEvent) => void> = []
  const confirmed = new Set<EventId>()
  const kept = new Map<string, Kept>()
  let streams: Streams

  const see = (key: string, { unsent }: StoredStream): void => {
    const known = kept.get(key) ?? { order: [], bodies: new Map<EventId, Set<string>>() }
    kept.set(key, known)
    for (const event of unsent) {
      const bodies = known.bodies.get(event.id)
      known.bodies.set(event.id, (bodies ?? new Set()).add(event.body))
      if (bodies !== undefined) continue
      known.order.push(event.id)
      for (const watch of watchers) watch(event)
    }
  }
  Object.defineProperty(platformFeed, "streams", {
    get: () => streams,
    set: (next: Streams) => {
      streams = next
      // Ending a feed drops its unsent events, so they need not reach the platform.
      kept.clear()
      if (next === undefined) return
      world.reach("platform's feed begun")
      observe(next, (key, _, after) => {
        if (after !== undefined) see(key, after)
      })
    }
  })

  const hear = (event: FeedEvent, label: string): number | undefined => {
    const known = kept.get(event.merchantId ?? "")
    const name = () => world.nameOf(event.id)
    const place = known?.order.indexOf(event.id) ?? -1
    // A sender may still hold events of an ended feed, so only events of the current feed are checked.
    if (known !== undefined && place >= 0) {
      const early = known.order.slice(0, place).find((id) => !confirmed.has(id))
      world.require(
        known.bodies.get(event.id)?.has(event.body) === true,
        "told_iff_committed",
        () => `the platform got ${name()}, which no commit stored so`
      )
      world.require(
        early === undefined,
        "told_iff_committed",
        () => `the platform got ${name()} before ${world.nameOf(early ?? "")}, which was committed earlier`
      )
    }
    const status = statusOf(label)
    if (status === 200) confirmed.add(event.id)
    world.reach(`platform answered ${status ?? "nothing"}`)
    world.tell(() => `platform: ${event.topic} arrives, answers ${status ?? "nothing"}  (${label})`)
    return status
  }

  const statusOf = (label: string): number | undefined => {
    if (world.rates === undefined || world.isCalm(label)) return 200
    const status = world.draw(label).weighted<number | undefined>([
      [85, 200],
      [10, 500],
      [5, undefined]
    ])
    if (status !== 200) world.mishaps.add(label)
    return status
  }

  const isWaiting = (): boolean => [...(streams?.values() ?? [])].some(({ unsent }) => unsent.length > 0)
  world.atRest(() => {
    world.require(!isWaiting(), "nothing_open_for_ever", () => "an event waits to be sent to the platform")
    for (const { order } of kept.values()) {
      const lost = order.find((id) => !confirmed.has(id))
      world.require(
        lost === undefined,
        "told_iff_committed",
        () => `the platform never got ${world.nameOf(lost ?? "")}`
      )
    }
  })
  return {
    isWaiting,
    onFeed: (watch) => watchers.push(watch),
    post: (event) =>
      Effect.flatMap(Actor, (actor) =>
        Effect.callback((resume) => {
          const count = (actor.calls.get("platform") ?? 0) + 1
          actor.calls.set("platform", count)
          const label = `${actor.label}/platform#${count}`
          world.agenda.after(1 + world.draw(`${label} way`).below(20), 0, () => {
            const status = hear(event, label)
            if (status !== undefined) resume(Effect.succeed(status === 200))
          })
        })
      )
  }
}

const lease = Duration.seconds(25)
const pollEvery = Duration.seconds(4)

/** Builds a layer with a minimal sender of the platform's events: begin, claim, post, settle. */
export const layerSender = (platform: SimulatedPlatform): Layer.Layer<never, never, PlatformFeed> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const feed = yield* PlatformFeed

      const round = Effect.gen(function* () {
        const now = yield* DateTime.now
        const claim = { now, leasedUntil: DateTime.addDuration(now, lease), limit: 8, perStream: 4 }
        for (const stream of yield* feed.claim(claim)) {
          let sentThrough: FeedEvent | undefined
          let isConfirmed = true
          for (const event of stream.events) {
            const answered = yield* Effect.timeoutOption(platform.post(event), Duration.seconds(5))
            isConfirmed = Option.getOrElse(answered, () => false)
            if (!isConfirmed) break
            sentThrough = event
          }
          const retryAt = isConfirmed ? undefined : DateTime.add(yield* DateTime.now, { seconds: 5 })
          yield* feed.settle(stream, { sentThrough, retryAt })
        }
      })

      const run = Effect.andThen(
        feed.begin,
        Effect.forever(Effect.andThen(Effect.ignore(round), Effect.sleep(pollEvery)))
      )
      yield* Effect.forkScoped(Effect.retry(run, Schedule.spaced(pollEvery)))
    })
  )
