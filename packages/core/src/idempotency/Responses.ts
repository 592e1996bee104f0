import { Context, Layer } from "effect"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { Verification } from "../kyc/verification/Verification.js"
import type { Refund } from "../refund/Refund.js"

/** The result of a keyed command in addition to its value. */
export interface Answered {
  /** The response stored for this key. Opaque to core: only the edge that serialised it reads it. */
  readonly response: string
  /** True if an earlier command already used this key. */
  readonly replayed: boolean
}

/**
 * Serialises the response stored with a keyed command's outcome, which the edge repeats byte for byte on a replay. It
 * is a service rather than an argument, since after a crash a worker settles the command without its caller.
 */
export class Responses extends Context.Service<
  Responses,
  {
    readonly refund: (refund: Refund) => string
    readonly dataRequest: (request: DataRequest) => string
    readonly verification: (verification: Verification) => string
  }
>()("@surety/core/idempotency/Responses") {}

/** Stores empty responses, for a host without an HTTP API. Such a host reads the values that commands return. */
export const layerNone: Layer.Layer<Responses> = Layer.succeed(Responses, {
  refund: () => "",
  dataRequest: () => "",
  verification: () => ""
})
