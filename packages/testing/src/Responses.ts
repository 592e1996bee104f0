import { Responses } from "@surety/core/idempotency/Responses"
import { Layer, Struct } from "effect"

const textOf = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part))

/** Omitted because a response keeps them private, or because the merchant's key implies them. */
const omitted = ["merchantId", "environment", "idHash", "idLast4", "method"] as const

/** Responses that match no interface's format. Code that stores or replays them must treat them as opaque text. */
export const responses: Responses["Service"] = {
  // Like every interface, these responses name people by service id only.
  refund: (refund) => textOf({ refundId: refund.id, ...Struct.omit(refund, ["userId"]) }),
  dataRequest: ({ approvedFields, createdAt, decidedAt, expiresAt, id, requestedFields, serviceId, status }) =>
    textOf({ id, serviceId, requestedFields, status, createdAt, expiresAt, approvedFields, decidedAt }),
  verification: ({ id, ...verification }) => textOf({ reference: id, ...Struct.omit(verification, omitted) })
}

export const layer: Layer.Layer<Responses> = Layer.succeed(Responses, responses)
