import { Context, DateTime, Effect, Layer } from "effect"

/**
 * The past, which one law at a time may use. A queue returns the due records of every law. Current records are due
 * after any time in the past, and no other law has records there. A law that uses the past therefore sees only its own.
 */
export class Past extends Context.Service<
  Past,
  {
    /** The law's own time, the same on every read. The first read waits until the past is free. */
    readonly moment: Effect.Effect<DateTime.Utc>
  }
>()("surety/testing/Past") {}

const turn = Date.UTC(2010, 0, 1)

/** A time in the 1990s, earlier the later it is read. Nothing left by an earlier run is due at that time. */
export const freshMoment: Effect.Effect<DateTime.Utc> = Effect.map(DateTime.now, (at) =>
  DateTime.makeUnsafe(2 * turn - DateTime.toEpochMillis(at))
)

/** Layer for tests that run in sequence on a store they do not share. Each read gets a new time. */
export const layer: Layer.Layer<Past> = Layer.succeed(Past, { moment: freshMoment })
