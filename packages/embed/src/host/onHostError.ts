import { HostErrors, type HostPart } from "@surety/core/host/HostErrors"
import { Layer } from "effect"
import { contained } from "./contained.js"

/** A failure of a host part: it threw, rejected, timed out, or returned something outside its contract. */
export interface HostError {
  /** The name of the part's option, such as `wallet`. */
  readonly part: HostPart
  /** The failed operation, such as `credit`. Usually the name of the called method. */
  readonly operation: string
  /**
   * The thrown value, or an `Error` created by Surety for a timeout, a wrong result or a KYC `callback` that throws.
   * Surety's `Error` contains no value from the result.
   */
  readonly cause: unknown
}

/** Receives failures of host parts. Their causes are not masked, unlike in the log. */
export type OnError = (error: HostError) => void

/** Wraps the host's `onError`, and ignores its exceptions and rejections. */
export const telling = (onError: OnError | undefined): OnError =>
  onError === undefined ? () => {} : contained(onError, () => {})

/** Builds a layer in which `HostErrors` calls `tell`. Failures of `consentUrl` and `logger` go to `tell` directly. */
export const layer = (tell: OnError): Layer.Layer<never> => Layer.succeed(HostErrors, tell)
