import { HostErrors, type HostPart } from "@surety/core/host/HostErrors"
import { Layer } from "effect"
import { contained } from "./contained.js"

/** A failure of a host part: it threw, rejected, timed out, or returned something outside its contract. */
export interface HostError {
  /** The name of the part's option, such as `wallet`. */
  readonly part: HostPart
  /** The called method, such as `credit`. */
  readonly operation: string
  /**
   * The value that was thrown, or an `Error` for a timeout or a wrong result. That `Error` names the result's types and
   * fields, never a value.
   */
  readonly cause: unknown
}

/** Receives failures of host parts, in addition to the log. */
export type OnError = (error: HostError) => void

/** Wraps the host's `onError`. Its exceptions and rejections are dropped. */
export const telling = (onError: OnError | undefined): OnError =>
  onError === undefined ? () => {} : contained(onError, () => {})

/** Builds a layer that reports every failure of a host part to the host. */
export const layer = (tell: OnError): Layer.Layer<never> => Layer.succeed(HostErrors, tell)
