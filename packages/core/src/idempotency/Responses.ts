import { Context, Layer } from "effect"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { Verification } from "../kyc/verification/Verification.js"
import type { Refund } from "../refund/Refund.js"

/** Extra fields in the result of creating a refund, data request or verification. */
export interface Answered {
  /**
   * The response stored under the call's idempotency key. Opaque to core: only the HTTP API that serialised it reads
   * it.
   */
  readonly response: string
  /** True if the response is a replay: it was stored for an earlier call with the same key. */
  readonly replayed: boolean
}

/**
 * Serialises a refund, data request or verification as the response that is stored under its idempotency key. On a
 * replay, the HTTP API sends the stored response byte for byte. It may add only the consent url of a TEST data request.
 * A service rather than an argument: a worker may settle the command without its caller, for example after a crash.
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
