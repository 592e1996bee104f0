import { type HostError, HostErrors } from "@surety/core/host/HostErrors"
import { Layer } from "effect"
import { contained } from "./contained.js"

export type { HostError } from "@surety/core/host/HostErrors"

/** Where the host wants failures of its own parts, beside the log. */
export type OnError = (error: HostError) => void

/** Tells the host. What its handler throws is dropped: there is nobody left to tell. */
export const telling = (onError: OnError | undefined): OnError =>
  onError === undefined ? () => {} : contained(onError, () => {})

/** Tells the host of every failure of its parts. */
export const layer = (tell: OnError): Layer.Layer<never> => Layer.succeed(HostErrors, tell)
