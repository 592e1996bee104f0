import { type Topic, topics } from "@surety/core/event/DomainEvent"
import { eventTypes, eventVersion, payloadJsonSchema } from "@surety/core/event/EventTypes"

type Json = Record<string, unknown>

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
})

const headersOf = (topic: Topic): ReadonlyArray<Json> => [
  header("X-Service-Event", "The topic.", topic),
  header(
    "X-Service-Event-Id",
    "The event's id, the same in every attempt and at every endpoint. Deduplicate by it.",
    "event_01k7wqab50fbq3s5v7x9z1c3e5"
  ),
  header("X-Service-Event-Version", "The version of the payload's schema. Added keys do not change it.", eventVersion),
  header(
    "X-Service-Sequence",
    "A string that sorts like GET /v1/events?order=oldest: of two events in an environment, the one listed later never has the " +
      "smaller one. Gaps mean nothing.",
    "0000000100000000000002f10199f8c55ad57ef63c97d9f4ec1a8dc5"
  ),
  header("X-Service-Environment", "TEST or LIVE.", "LIVE"),
  header("X-Service-Delivery-Attempt", "1 for the first attempt.", "1"),
  header(
    "X-Service-Signature",
    "Lower-case hex of HMAC-SHA256 over the raw body; the key is the endpoint's whole secret.",
    "5f1c0a8f6f0f2c5f8d1b4f4d6f9d3f8a7a5b9f3b2a7c1d4e6f8091a2b3c4d5e6"
  ),
  header("webhook-id", "The same as X-Service-Event-Id. Signed.", "event_01k7wqab50fbq3s5v7x9z1c3e5"),
  header("webhook-timestamp", "When the attempt was signed, in Unix seconds. Signed.", "1795169730"),
  header(
    "webhook-signature",
    "Standard Webhooks: `v1,` and a signature in base64 for each secret in force, separated by spaces.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  )
]

export const payloadSchemas: Json = Object.fromEntries(
  topics.map((topic) => {
    const { description, name } = eventTypes[topic]
    return [name, { ...payloadJsonSchema(topic), description: `Payload of \`${topic}\`: ${description}` }]
  })
)

/** OpenAPI's `webhooks`: the requests sent to endpoints, by topic. */
export const webhookOperations: Json = Object.fromEntries(
  topics.map((topic) => {
    const { description, example, isDefault, name } = eventTypes[topic]
    const subscribed = isDefault ? "" : " Sent only to endpoints that name the topic."
    return [
      topic,
      {
        post: {
          tags: ["Webhooks"],
          operationId: `webhook.${topic}`,
          summary: topic,
          description: `${description}${subscribed}`,
          security: [],
          parameters: headersOf(topic),
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: { $ref: `#/components/schemas/${name}` },
                examples: { example: { value: example } }
              }
            }
          },
          responses: {
            "2XX": { description: "Delivered. Anything else, or no response within 15 s, is retried." },
            "410": { description: "Disables the endpoint." }
          }
        }
      }
    ]
  })
)
