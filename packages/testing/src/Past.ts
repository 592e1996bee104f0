import { Context, DateTime, Effect, Layer } from "effect"

/**
 * The past, which one law has at a time. A queue gives everybody all that is due, whoever made it, so a law that asks as
 * of a moment meets every record that is due by then. Records of the present are due later than any moment of the past,
 * and no other law has records there while this one runs.
 */
export class Past extends Context.Service<
  Past,
  {
    /** The law's own moment, the same one each time. The first request waits until the past is free. */
    readonly moment: Effect.Effect<DateTime.Utc>
  }
>()("surety/testing/Past") {}

const turn = Date.UTC(2010, 0, 1)

/** A moment of the nineties; the later it is now, the earlier. Nothing that an earlier run left is due by then. */
export const freshMoment: Effect.Effect<DateTime.Utc> = Effect.map(DateTime.now, (at) =>
  DateTime.makeUnsafe(2 * turn - DateTime.toEpochMillis(at))
)

/** For tests that run one after another on a store of their own: a new moment each time. */
export const layer: Layer.Layer<Past> = Layer.succeed(Past, { moment: freshMoment })
