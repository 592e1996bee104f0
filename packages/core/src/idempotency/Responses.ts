import { Context, Layer } from "effect"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { Verification } from "../kyc/verification/Verification.js"
import type { Refund } from "../refund/Refund.js"

/** The outcome of a keyed command, without its value. */
export interface Answered {
  /** The text stored with this key's first outcome. Opaque here: only the edge that wrote it reads it. */
  readonly response: string
  /** Whether this is a replay of an earlier command's response. */
  readonly replayed: boolean
}

/**
 * Serialises the response stored with a keyed command's outcome, which the edge repeats byte for byte on a replay.
 * Provided by the composition, since a worker settles the command without a caller after a crash.
 */
export class Responses extends Context.Service<
  Responses,
  {
    readonly refund: (refund: Refund) => string
    readonly dataRequest: (request: DataRequest) => string
    readonly verification: (verification: Verification) => string
  }
>()("@surety/core/idempotency/Responses") {}

/** Stores no responses, for a host without an HTTP interface. Nothing is replayed, and commands still return values. */
export const layerNone: Layer.Layer<Responses> = Layer.succeed(Responses, {
  refund: () => "",
  dataRequest: () => "",
  verification: () => ""
})
