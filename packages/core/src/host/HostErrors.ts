import { Cause, Context, Effect } from "effect"
import { loggableCause } from "./loggableCause.js"

/** The parts that a host provides, by the names of `createSurety`'s options. */
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
  /** The method that was called, such as `credit`. */
  readonly operation: string
  /**
   * What it threw, unchanged; or an `Error` of ours for a timeout or an unexpected response, which it describes by
   * shape.
   */
  readonly cause: unknown
}

/** Called with every failure of a host's part, in addition to the log. Must not throw. */
export const HostErrors = Context.Reference<(error: HostError) => void>("@surety/core/host/HostErrors", {
  defaultValue: () => () => {}
})

export interface HostReport extends HostError {
  /** What this means for Surety, for the log: `the refund stays pending`. */
  readonly consequence: string
  /** Arguments that the part's error may quote; masked in the log. */
  readonly given?: ReadonlyArray<string>
  /** The call's subject, such as a refund's id. No personal data. */
  readonly about?: Readonly<Record<string, string>>
}

/** Logs a host's failure and passes it to `HostErrors`. Returns the cause as it may be logged and stored. */
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
