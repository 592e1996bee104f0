import { Cause, Duration, Effect, Predicate, Result } from "effect"
import type { ReadAnswer } from "./HostAnswer.js"
import { type HostPart, reportHostError } from "./HostErrors.js"

/** A call to a host's part, with its timeout and failure handling. */
export interface HostCall<A, E> {
  readonly part: HostPart
  readonly operation: string
  /** Decodes the response. A response that it rejects counts as a failure of the part. */
  readonly read: ReadAnswer<A>
  readonly timeout: Duration.Duration
  /** Converts the loggable cause to the error with which `callHost` fails. */
  readonly unavailable: (cause: Error) => E
  /** Consequence for Surety, as logged, such as `the refund stays pending`. */
  readonly consequence: string
  /**
   * Returns the arguments that the part's error may quote. The log masks them. Called only after the part has failed.
   */
  readonly given?: () => ReadonlyArray<string>
  /** Subject of the call, such as a refund's id. Must contain no personal data. */
  readonly about?: Readonly<Record<string, string>>
}

/** Returns the `cause` of a tagged failure such as `WalletUnavailable`, which wraps the error of the host's part. */
const thrownBy = (failure: unknown): unknown =>
  Predicate.hasProperty(failure, "_tag") && Predicate.hasProperty(failure, "cause") ? failure.cause : failure

const causeOf = <E>(cause: Cause.Cause<E>): unknown =>
  Result.match(Cause.findError(cause), { onFailure: Cause.squash, onSuccess: thrownBy })

/**
 * Calls a host's part. Fails with `unavailable` if the part fails, throws, times out or returns something outside its
 * contract. On failure, logs the cause and passes it to `HostErrors`.
 */
export const callHost = <A, E, R>(
  call: HostCall<A, E>,
  ask: () => Effect.Effect<unknown, unknown, R>
): Effect.Effect<A, E, R> => {
  const { about, consequence, given, operation, part, read, timeout, unavailable } = call
  const silent = () => Effect.fail(new Error(`It did not respond within ${Duration.toSeconds(timeout)} seconds.`))
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
              ...(given === undefined ? {} : { given: given() }),
              ...(about === undefined ? {} : { about })
            }),
            (loggable) => Effect.fail(unavailable(loggable))
          )
    )
  )
}
