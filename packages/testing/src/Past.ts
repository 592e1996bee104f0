import { Context, DateTime, Effect, Layer } from "effect"

/**
 * Lets one law at a time use times in the past. A queue read at a past time returns only that law's records. The
 * records of other laws are due later.
 */
export class Past extends Context.Service<
  Past,
  {
    /** Within a law, the same time on every read. The first read waits until no other law uses the past. */
    readonly moment: Effect.Effect<DateTime.Utc>
  }
>()("surety/testing/Past") {}

const endMillis = Date.UTC(2010, 0, 1)

/** A time after every past time that a law uses, and before every current record. */
export const endOfPast: DateTime.Utc = DateTime.makeUnsafe(endMillis)

/** A time before `endOfPast`. A later read returns an earlier time, at which no record of an earlier run is due. */
export const freshMoment: Effect.Effect<DateTime.Utc> = Effect.map(DateTime.now, (at) =>
  DateTime.makeUnsafe(2 * endMillis - DateTime.toEpochMillis(at))
)

/** Layer for tests that run in sequence on a store they do not share. Each read gets a new time. */
export const layer: Layer.Layer<Past> = Layer.succeed(Past, { moment: freshMoment })
