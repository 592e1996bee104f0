import { HostErrors, type HostPart } from "@surety/core/host/HostErrors"
import { Layer } from "effect"
import { contained } from "./contained.js"

/** A part of the host's threw, rejected, did not answer in time, or answered something that its contract does not name. */
export interface HostError {
  /** By the name of its option, such as `wallet`. */
  readonly part: HostPart
  /** The method that was called, such as `credit`. */
  readonly operation: string
  /** What it threw, as it was thrown; or an `Error` of Surety's that says what came instead, by kinds and field names. */
  readonly cause: unknown
}

/** Where the host wants failures of its own parts, beside the log. */
export type OnError = (error: HostError) => void

/** Tells the host. What its handler throws is dropped: there is nobody left to tell. */
export const telling = (onError: OnError | undefined): OnError =>
  onError === undefined ? () => {} : contained(onError, () => {})

/** Tells the host of every failure of its parts. */
export const layer = (tell: OnError): Layer.Layer<never> => Layer.succeed(HostErrors, tell)
