import { Responses } from "@surety/core/idempotency/Responses"
import { Layer, Struct } from "effect"

const textOf = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part))

const omitted = ["merchantId", "environment", "idHash", "idLast4", "method"] as const

/** Responses in a format that no API uses. Code that stores or replays them must treat them as opaque strings. */
export const responses: Responses["Service"] = {
  // A refund's response names the person by service id, not by user id.
  refund: (refund) => textOf({ refundId: refund.id, ...Struct.omit(refund, ["userId"]) }),
  dataRequest: ({ approvedFields, createdAt, decidedAt, expiresAt, id, requestedFields, serviceId, status }) =>
    textOf({ id, serviceId, requestedFields, status, createdAt, expiresAt, approvedFields, decidedAt }),
  verification: ({ id, ...verification }) => textOf({ reference: id, ...Struct.omit(verification, omitted) })
}

export const layer: Layer.Layer<Responses> = Layer.succeed(Responses, responses)
