import { Cause, Context, Effect } from "effect"
import { loggableCause } from "./loggableCause.js"

/** What a host brings itself, by the names of `createSurety`'s options. */
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
  | "logger"

/** A part of the host's threw, rejected, did not answer in time, or answered something that its contract does not name. */
export interface HostError {
  readonly part: HostPart
  /** The method that was called, such as `credit`. */
  readonly operation: string
  /** What it threw, as it was thrown; or an `Error` of ours that says what came instead, by its shape. */
  readonly cause: unknown
}

/** Called with every failure of a host's part, beside the log. Must not throw. */
export const HostErrors = Context.Reference<(error: HostError) => void>("@surety/core/host/HostErrors", {
  defaultValue: () => () => {}
})

export interface HostReport extends HostError {
  /** What follows for Surety, for the log's line: `the refund stays pending`. */
  readonly consequence: string
  /** What the part was called with and its error may quote: masked in the log. */
  readonly given?: ReadonlyArray<string>
  /** What the call was about, such as a refund's id. No personal data. */
  readonly about?: Readonly<Record<string, string>>
}

/** Logs a host's failure with its cause, and tells `HostErrors`. Returns the cause as it may be logged and kept. */
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
