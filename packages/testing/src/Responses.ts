import { Responses } from "@surety/core/idempotency/Responses"
import { Layer } from "effect"

const textOf = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part))

/** Responses that are no interface's: code that stores or replays them must treat them as opaque text. */
export const responses: Responses["Service"] = {
  refund: (refund) => textOf({ refundId: refund.id, ...refund }),
  dataRequest: (request) => textOf(request),
  verification: (verification) => textOf({ reference: verification.id, ...verification })
}

export const layer: Layer.Layer<Responses> = Layer.succeed(Responses, responses)
