import { HostErrors, type HostPart } from "@surety/core/host/HostErrors"
import { Layer } from "effect"
import { contained } from "./contained.js"

/** A host part threw, rejected, did not answer in time, or answered something outside its contract. */
export interface HostError {
  /** By the name of its option, such as `wallet`. */
  readonly part: HostPart
  /** The method that was called, such as `credit`. */
  readonly operation: string
  /** The thrown value; or an `Error` of Surety's that describes the wrong answer by types and field names. */
  readonly cause: unknown
}

/** Receives failures of host parts, besides the log. */
export type OnError = (error: HostError) => void

/** Calls the host's handler, and ignores its exceptions. */
export const telling = (onError: OnError | undefined): OnError =>
  onError === undefined ? () => {} : contained(onError, () => {})

/** Reports every failure of a host part to the host. */
export const layer = (tell: OnError): Layer.Layer<never> => Layer.succeed(HostErrors, tell)
