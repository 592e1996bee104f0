import { Responses } from "@surety/core/idempotency/Responses"
import { Layer, Struct } from "effect"

const textOf = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part))

/** Left out: a response keeps them private, or the merchant's key implies them. */
const omitted = ["merchantId", "environment", "idHash", "idLast4", "method"] as const

/** Responses in no interface's form: code that stores or replays them must treat them as opaque text. */
export const responses: Responses["Service"] = {
  // A response names people by their service id alone, as every interface does.
  refund: (refund) => textOf({ refundId: refund.id, ...Struct.omit(refund, ["userId"]) }),
  dataRequest: ({ approvedFields, createdAt, decidedAt, expiresAt, id, requestedFields, serviceId, status }) =>
    textOf({ id, serviceId, requestedFields, status, createdAt, expiresAt, approvedFields, decidedAt }),
  verification: ({ id, ...verification }) => textOf({ reference: id, ...Struct.omit(verification, omitted) })
}

export const layer: Layer.Layer<Responses> = Layer.succeed(Responses, responses)
