import { Context, DateTime, Effect, Layer } from "effect"

/**
 * The past, which one law has at a time. A queue returns all records that are due, of every law. Current records are
 * due after any moment of the past, and no other law has records there, so a law of the past meets only its own.
 */
export class Past extends Context.Service<
  Past,
  {
    /** The law's own moment, the same each time. The first request waits until the past is free. */
    readonly moment: Effect.Effect<DateTime.Utc>
  }
>()("surety/testing/Past") {}

const turn = Date.UTC(2010, 0, 1)

/** A moment in the nineties, earlier with each call, so nothing that an earlier run left is due by then. */
export const freshMoment: Effect.Effect<DateTime.Utc> = Effect.map(DateTime.now, (at) =>
  DateTime.makeUnsafe(2 * turn - DateTime.toEpochMillis(at))
)

/** For tests that run in sequence on a store of their own: a new moment each time. */
export const layer: Layer.Layer<Past> = Layer.succeed(Past, { moment: freshMoment })
