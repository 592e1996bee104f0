/** What the document has beside the operations and their schemas. */
export const components = {
  securitySchemes: {
    apiKey: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "sk_test_… or sk_live_…",
      description: "A merchant's secret API key. Keep it on your server; there is no key for browsers."
    },
    operatorToken: {
      type: "http",
      scheme: "bearer",
      description: "The token of whoever runs the service."
    }
  },
  parameters: {
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      required: true,
      description:
        "Unique for each thing you want done once; repeat it when you retry. 1 to 255 printable ASCII characters; the " +
        "quoted form names the same key.",
      schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]{1,255}$" },
      example: "refund-order-1001"
    },
    RequestId: {
      name: "X-Request-Id",
      in: "header",
      required: false,
      description:
        "Your own name for the request: 1 to 128 of A-Z, a-z, 0-9, dot, underscore, hyphen. Otherwise one is made.",
      schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" }
    }
  },
  headers: {
    RequestId: {
      description: "Names this request; give it when you report a problem.",
      required: true,
      schema: { type: "string" }
    },
    Replayed: {
      description: "true when the body is what the first request with this Idempotency-Key was answered.",
      required: false,
      schema: { type: "string", enum: ["true"] }
    },
    RetryAfter: {
      description: "Seconds to wait before the same request is sent again.",
      required: false,
      schema: { type: "integer", minimum: 0 }
    },
    Challenge: {
      description: "How to authenticate.",
      required: true,
      schema: { type: "string", enum: ["Bearer"] }
    }
  }
}

/** `limit` of every list: text in a query, a whole number by meaning. */
export const limitSchema = { type: "integer", minimum: 1, maximum: 100, default: 20 }

const reference = (kind: "parameters" | "headers", name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** The request's headers, beside the one that authenticates. */
export const headerParameters = (idempotent: boolean) => [
  ...(idempotent ? [components.parameters.IdempotencyKey] : []),
  components.parameters.RequestId
]

const retried = new Set([
  "idempotency_in_progress",
  "rate_limited",
  "service_unavailable",
  "wallet_unavailable",
  "verification_busy",
  "kyc_provider_unavailable"
])

/** The headers of an answer of a status and with one of these codes. */
export const responseHeaders = (status: number, codes: ReadonlyArray<string>): Record<string, unknown> => ({
  "X-Request-Id": reference("headers", "RequestId"),
  ...(codes.includes("idempotent") ? { "Idempotent-Replayed": reference("headers", "Replayed") } : {}),
  ...(codes.some((code) => retried.has(code)) ? { "Retry-After": reference("headers", "RetryAfter") } : {}),
  ...(status === 401 ? { "WWW-Authenticate": reference("headers", "Challenge") } : {})
})
