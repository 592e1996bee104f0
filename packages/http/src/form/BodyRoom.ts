import { Context, Deferred, Duration, Effect, Layer } from "effect"

export interface BodyRoomSettings {
  /**
   * Maximum total bytes of the large bodies being read and processed. A body counts as its declared length, or as the
   * route's limit if it declares none.
   */
  readonly bytes: number
  /** Maximum number of these bytes for one `RoomClaim.holder`, to leave room for other holders' bodies. */
  readonly bytesOfOne: number
  /** How long a body waits for room before it is refused. */
  readonly patience: Duration.Duration
  /**
   * How long a body may take to arrive, not counting its wait for room. Together with `patience`, must be less than the
   * server's timeout for receiving a request.
   */
  readonly readWithin: Duration.Duration
}

const mebibyte = 1024 * 1024

export const defaultBodyRoom: BodyRoomSettings = {
  bytes: 64 * mebibyte,
  bytesOfOne: 48 * mebibyte,
  patience: Duration.seconds(25),
  readWithin: Duration.seconds(30)
}

/**
 * Settings for large request bodies. Both byte limits must be at least the size of the largest body, or that body would
 * never get room.
 */
export const BodyRoomSettings = Context.Reference<BodyRoomSettings>("@surety/http/form/BodyRoomSettings", {
  defaultValue: () => defaultBodyRoom
})

/** A body's claim to room: its bytes, and the holder whose share they count against. */
export interface RoomClaim {
  readonly holder: string
  readonly bytes: number
}

/** Limits the bytes of large bodies in memory. A body without room waits unread. */
export class BodyRoom extends Context.Service<
  BodyRoom,
  {
    /**
     * Runs `work` while holding the claimed room. Claims are served in order, but a claim that would exceed its
     * holder's share does not block others. Fails with `crowded` if the claim gets no room within `patience`.
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
      // Later claims wait behind a large one. Otherwise a stream of smaller claims could starve it.
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

  /**
   * Waits for room. Returns false if the claim gets none within `patience`. If room is granted just as the wait times
   * out, the claim keeps it.
   */
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
