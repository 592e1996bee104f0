import { Cause, Duration, Effect, Predicate, Result } from "effect"
import type { ReadAnswer } from "./HostAnswer.js"
import { type HostPart, reportHostError } from "./HostErrors.js"

/** A call of a host's part. */
export interface HostCall<A, E> {
  readonly part: HostPart
  readonly operation: string
  /** Reads the answer. What it does not understand counts as a failure. */
  readonly read: ReadAnswer<A>
  readonly timeout: Duration.Duration
  /** The port's failure, from the cause as it may be logged. */
  readonly unavailable: (cause: Error) => E
  /** What follows for Surety, for the log's line: `the refund stays pending`. */
  readonly consequence: string
  /** What the part is called with and its error may quote: masked in the log. */
  readonly given?: ReadonlyArray<string>
  /** What the call is about, such as a refund's id. No personal data. */
  readonly about?: Readonly<Record<string, string>>
}

/** A port's declared failure wraps what the host threw. */
const thrownBy = (failure: unknown): unknown =>
  Predicate.hasProperty(failure, "_tag") && Predicate.hasProperty(failure, "cause") ? failure.cause : failure

const causeOf = <E>(cause: Cause.Cause<E>): unknown =>
  Result.match(Cause.findError(cause), { onFailure: Cause.squash, onSuccess: thrownBy })

/**
 * Calls a host's part. Unless it answers in time and as its contract says, the call fails with `unavailable`: after a
 * failure, a throw, an answer of another form, or silence. The cause reaches the host's log and `HostErrors`.
 */
export const callHost = <A, E, R>(
  call: HostCall<A, E>,
  ask: () => Effect.Effect<unknown, unknown, R>
): Effect.Effect<A, E, R> => {
  const { about, consequence, given, operation, part, read, timeout, unavailable } = call
  const silent = () => Effect.fail(new Error(`It did not answer within ${Duration.toSeconds(timeout)} seconds.`))
  return Effect.suspend(ask).pipe(
    Effect.flatMap((answer) => Effect.fromResult(read(answer))),
    Effect.timeoutOrElse({ duration: timeout, orElse: silent }),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.flatMap(
            reportHostError({
              part,
              operation,
              cause: causeOf(cause),
              consequence,
              ...(given === undefined ? {} : { given }),
              ...(about === undefined ? {} : { about })
            }),
            (loggable) => Effect.fail(unavailable(loggable))
          )
    )
  )
}
