import { Context, Layer } from "effect"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { Verification } from "../kyc/verification/Verification.js"
import type { Refund } from "../refund/Refund.js"

/** Fields that the result of a command with an idempotency key has in addition to its value. */
export interface Answered {
  /** The response stored for this key. Opaque to core: only the HTTP API that serialised it reads it. */
  readonly response: string
  /** True if the response is a replay: it was stored for an earlier call with the same key. */
  readonly replayed: boolean
}

/**
 * Serialises the response that is stored with the outcome of a command with an idempotency key. On a replay, the HTTP
 * API sends the stored response byte for byte. It may only add the consent url of a TEST data request. A service rather
 * than an argument, because a worker may settle the command without its caller, as after a crash.
 */
export class Responses extends Context.Service<
  Responses,
  {
    readonly refund: (refund: Refund) => string
    readonly dataRequest: (request: DataRequest) => string
    readonly verification: (verification: Verification) => string
  }
>()("@surety/core/idempotency/Responses") {}

/**
 * Serialises every response as an empty string, for a host without an HTTP API. Such a host uses the values that
 * commands return.
 */
export const layerNone: Layer.Layer<Responses> = Layer.succeed(Responses, {
  refund: () => "",
  dataRequest: () => "",
  verification: () => ""
})
