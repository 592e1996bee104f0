import { Cause, Context, Effect } from "effect"
import { loggableCause } from "./loggableCause.js"

/** Parts that a host provides. */
export type HostPart =
  | "wallet"
  | "directory"
  | "consentNotifier"
  | "consentUrl"
  | "codeSender"
  | "kyc"
  | "kycPolicy"
  | "signIn"
  | "rateLimiter"
  | "personData"
  | "console"
  | "logger"

/** A host's part threw, rejected, timed out, or returned something outside its contract. */
export interface HostError {
  readonly part: HostPart
  /** Name of the failed operation, usually the called method, such as `credit`. */
  readonly operation: string
  /**
   * The unmasked error thrown by the part. After a timeout, an unexpected response or a failed KYC `callback`, it is an
   * `Error` created by Surety. That error contains no value of the response.
   */
  readonly cause: unknown
}

/**
 * Called with each failure of a host's part that `reportHostError` logs. An error thrown by the function is ignored.
 */
export const HostErrors = Context.Reference<(error: HostError) => void>("@surety/core/host/HostErrors", {
  defaultValue: () => () => {}
})

export interface HostReport extends HostError {
  /** Consequence for Surety, as logged, such as `the refund stays pending`. */
  readonly consequence: string
  /** Arguments that the part's error may quote. Masked in the log. */
  readonly given?: ReadonlyArray<string>
  /** Subject of the call, such as a refund's id. Must contain no personal data. */
  readonly about?: Readonly<Record<string, string>>
}

/** Logs a host's failure and passes it to `HostErrors`. Returns the cause in a form safe to log and store. */
export const reportHostError = Effect.fnUntraced(function* (report: HostReport) {
  const { about = {}, cause, consequence, given = [], operation, part } = report
  const loggable = loggableCause(cause, given)
  yield* Effect.logError(`The host's ${part} failed; ${consequence}`, Cause.fail(loggable)).pipe(
    Effect.annotateLogs({ ...about, part, operation })
  )
  const tell = yield* HostErrors
  yield* Effect.sync(() => tell({ part, operation, cause })).pipe(Effect.catchDefect(() => Effect.void))
  return loggable
})
