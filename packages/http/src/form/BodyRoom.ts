import { Context, Deferred, Duration, Effect, Layer } from "effect"

/** How much of large bodies may be in memory at once, and how long one waits for the others. */
export interface BodyRoomSettings {
  /** The room of all that is read and worked on at once, in bytes of the bodies as sent. */
  readonly bytes: number
  /** How much of it one holder may take: a slow or large sender leaves the rest to others. */
  readonly bytesOfOne: number
  /** How long a body waits for room. */
  readonly patience: Duration.Duration
  /** How long a body may take to arrive once it has room. Together with `patience` less than the server's own bound. */
  readonly readWithin: Duration.Duration
}

const mebibyte = 1024 * 1024

export const defaultBodyRoom: BodyRoomSettings = {
  bytes: 64 * mebibyte,
  bytesOfOne: 48 * mebibyte,
  patience: Duration.seconds(25),
  readWithin: Duration.seconds(30)
}

/** The settings in force. A body that is larger than either bound waits in vain. */
export const BodyRoomSettings = Context.Reference<BodyRoomSettings>("@surety/http/form/BodyRoomSettings", {
  defaultValue: () => defaultBodyRoom
})

/** What asks for room: how many bytes, and on whose behalf. */
export interface RoomClaim {
  readonly holder: string
  readonly bytes: number
}

/** Bounds by bytes how much of large bodies is in memory at once. Bodies that find no room wait unread. */
export class BodyRoom extends Context.Service<
  BodyRoom,
  {
    /**
     * Works on a body while there is room for it: in the order of asking, but no one waits behind a body whose holder has
     * its share already. `crowded` where none was found in time.
     */
    readonly within: <A, E, R, E2>(
      claim: RoomClaim,
      work: Effect.Effect<A, E, R>,
      crowded: E2
    ) => Effect.Effect<A, E | E2, R>
  }
>()("@surety/http/form/BodyRoom") {}

interface Waiting extends RoomClaim {
  readonly admitted: Deferred.Deferred<void>
}

const make = Effect.map(BodyRoomSettings, ({ bytes: room, bytesOfOne, patience }) => {
  let free = room
  const heldBy = new Map<string, number>()
  const queue = new Set<Waiting>()

  const hasShareLeft = ({ bytes, holder }: RoomClaim): boolean => (heldBy.get(holder) ?? 0) + bytes <= bytesOfOne

  const take = ({ bytes, holder }: RoomClaim): void => {
    free -= bytes
    heldBy.set(holder, (heldBy.get(holder) ?? 0) + bytes)
  }

  const admitNext = (): void => {
    for (const waiting of queue) {
      if (!hasShareLeft(waiting)) continue
      // Smaller ones do not pass a large one forever: those after it wait too.
      if (waiting.bytes > free) return
      queue.delete(waiting)
      take(waiting)
      Deferred.doneUnsafe(waiting.admitted, Effect.void)
    }
  }

  const release = ({ bytes, holder }: RoomClaim) =>
    Effect.sync(() => {
      free += bytes
      const left = (heldBy.get(holder) ?? 0) - bytes
      if (left > 0) heldBy.set(holder, left)
      else heldBy.delete(holder)
      admitNext()
    })

  /** Whether there was room in time. What has room keeps it, however the wait ends. */
  const enter = (claim: RoomClaim): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const waiting: Waiting = { ...claim, admitted: Deferred.makeUnsafe() }
      queue.add(waiting)
      admitNext()
      if (!queue.has(waiting)) return Effect.succeed(true)
      const leave = Effect.sync(() => {
        const isWaiting = queue.delete(waiting)
        if (isWaiting) admitNext()
        return !isWaiting
      })
      return Effect.interruptible(Effect.timeoutOption(Deferred.await(waiting.admitted), patience)).pipe(
        Effect.andThen(leave),
        Effect.onInterrupt(() => Effect.flatMap(leave, (admitted) => (admitted ? release(claim) : Effect.void)))
      )
    })

  return BodyRoom.of({
    within: <A, E, R, E2>(claim: RoomClaim, work: Effect.Effect<A, E, R>, crowded: E2) =>
      Effect.acquireUseRelease(
        enter(claim),
        (admitted): Effect.Effect<A, E | E2, R> => (admitted ? work : Effect.fail(crowded)),
        (admitted) => (admitted ? release(claim) : Effect.void)
      )
  })
})

export const layer: Layer.Layer<BodyRoom> = Layer.effect(BodyRoom, make)
