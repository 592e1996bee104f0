import type { MerchantId } from "@surety/core/Ids"
import { Context, Deferred, Duration, Effect, Layer } from "effect"
import { type Problem, problem } from "../problem/Problem.js"

/**
 * Maximum number of one merchant's concurrent reads in this process, or `undefined` for no limit. Read when the routes
 * are built.
 */
export const ReadsAtOnce: Context.Reference<number | undefined> = Context.Reference<number | undefined>(
  "@surety/http/access/ReadsAtOnce",
  { defaultValue: () => undefined }
)

/**
 * Returns the limit on a merchant's reads (contract 13) for a node with this many database connections. The limit is a
 * quarter of them, at least one.
 */
export const readsAtOnceOf = (connections: number): number => Math.max(1, Math.floor(connections / 4))

/**
 * How long a read waits for its turn. A burst of quick reads passes, while reads queued after slow ones are refused
 * with `Retry-After`.
 */
const patience = Duration.seconds(1)

const refused = (): Problem =>
  problem("service_unavailable", {
    detail: "Too many of your reads are in progress at once. Send fewer in parallel.",
    headers: { "retry-after": "1" }
  })

/** The running and waiting reads of one merchant. */
class Turns {
  readonly #most: number
  readonly #waiting = new Set<Deferred.Deferred<void>>()
  #underWay = 0

  constructor(most: number) {
    this.#most = most
  }

  get isIdle(): boolean {
    return this.#underWay === 0
  }

  /** Takes a turn and returns `undefined` if a turn is free. Otherwise returns a place in the queue. */
  ask(): Deferred.Deferred<void> | undefined {
    if (this.#underWay < this.#most) {
      this.#underWay += 1
      return undefined
    }
    const place = Deferred.makeUnsafe<void>()
    this.#waiting.add(place)
    return place
  }

  /** Leaves the queue. Returns false if the place is no longer queued, because its turn was granted. */
  leave(place: Deferred.Deferred<void>): boolean {
    return this.#waiting.delete(place)
  }

  /** Ends a turn and passes it to the longest-waiting read, if any. */
  end(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#underWay -= 1
    } else {
      this.#waiting.delete(next)
      Deferred.doneUnsafe(next, Effect.void)
    }
  }
}

/** Keeps one merchant's slow reads from taking every database connection of the node. */
export class ReadShare extends Context.Service<
  ReadShare,
  {
    /**
     * Runs a read within the merchant's share. If no turn comes within one second, returns `refuse(refused)`, where
     * `refused` is `service_unavailable`.
     */
    readonly within: <A, E, R>(
      merchantId: MerchantId,
      read: Effect.Effect<A, E, R>,
      refuse: (refused: Problem) => A
    ) => Effect.Effect<A, E, R>
  }
>()("@surety/http/access/ReadShare") {}

export const layer: Layer.Layer<ReadShare> = Layer.effect(
  ReadShare,
  Effect.gen(function* () {
    const most = yield* ReadsAtOnce
    if (most === undefined) return ReadShare.of({ within: (_, read) => read })
    const all = new Map<MerchantId, Turns>()

    const turnsOf = (merchantId: MerchantId): Turns => {
      const known = all.get(merchantId) ?? new Turns(most)
      all.set(merchantId, known)
      return known
    }

    const end = (merchantId: MerchantId, turns: Turns): void => {
      turns.end()
      if (turns.isIdle) all.delete(merchantId)
    }

    /**
     * Waits for a turn. Returns false if none came in time. A read interrupted after its turn was granted passes the
     * turn on.
     */
    const wait = (merchantId: MerchantId, turns: Turns, place: Deferred.Deferred<void>): Effect.Effect<boolean> =>
      Deferred.await(place).pipe(
        Effect.as(true),
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.sync(() => !turns.leave(place)) }),
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            if (!turns.leave(place)) end(merchantId, turns)
          })
        )
      )

    return ReadShare.of({
      within: (merchantId, read, refuse) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.suspend(() => {
            const turns = turnsOf(merchantId)
            const place = turns.ask()
            const inTime = place === undefined ? Effect.succeed(true) : restore(wait(merchantId, turns, place))
            return Effect.flatMap(inTime, (hasTurn) =>
              hasTurn
                ? Effect.ensuring(
                    restore(read),
                    Effect.sync(() => end(merchantId, turns))
                  )
                : Effect.succeed(refuse(refused()))
            )
          })
        )
    })
  })
)
