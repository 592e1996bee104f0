import { Context, Layer } from "effect"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { Verification } from "../kyc/verification/Verification.js"
import type { Refund } from "../refund/Refund.js"

/** The outcome of a keyed command, apart from its value. */
export interface Answered {
  /** The text stored with the first outcome of this key. Opaque here: only the edge that wrote it reads it. */
  readonly response: string
  /** Whether an earlier command with the same key returned it. */
  readonly replayed: boolean
}

/**
 * Writes the text that is stored with a keyed command's outcome, which the edge repeats byte for byte on a replay. Given
 * by the composition and not by the caller: after a crash, a worker settles the command without one.
 */
export class Responses extends Context.Service<
  Responses,
  {
    readonly refund: (refund: Refund) => string
    readonly dataRequest: (request: DataRequest) => string
    readonly verification: (verification: Verification) => string
  }
>()("@surety/core/idempotency/Responses") {}

/** Stores no responses, for a host without an interface: nothing replays them, and commands still return values. */
export const layerNone: Layer.Layer<Responses> = Layer.succeed(Responses, {
  refund: () => "",
  dataRequest: () => "",
  verification: () => ""
})
