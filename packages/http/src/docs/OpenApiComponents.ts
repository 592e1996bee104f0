const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: true,
    description:
      "Unique for each operation; repeat it when you retry. 1 to 255 printable ASCII characters; the " +
      "quoted form names the same key.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]{1,255}$" },
    example: "return-77"
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "Your own name for the request: 1 to 128 of A-Z, a-z, 0-9, dot, underscore, hyphen. Default: one is generated.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" }
  }
}

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
      description: "The token of the service's operator."
    }
  },
  headers: {
    RequestId: {
      description: "Identifies this request; quote it when you report a problem.",
      required: true,
      schema: { type: "string" }
    },
    Replayed: {
      description: "true if the body is the stored response to the first request with this Idempotency-Key.",
      required: false,
      schema: { type: "string", enum: ["true"] }
    },
    RetryAfter: {
      description: "Seconds to wait before you retry the same request.",
      required: false,
      schema: { type: "integer", minimum: 0 }
    },
    RateLimitPolicy: {
      description:
        "The limit that the request counts against (draft-ietf-httpapi-ratelimit-headers): its name, at most q requests " +
        "at once, and the w seconds in which that many become available again. Absent without a limit.",
      required: false,
      schema: { type: "string" },
      example: '"refunds";q=200;w=2'
    },
    RateLimit: {
      description:
        "What is left of that limit: r requests, and t seconds until the whole limit is available again; on 429, the same as " +
        "Retry-After. Only a hint, since other requests may use the same limit.",
      required: false,
      schema: { type: "string" },
      example: '"refunds";r=199;t=1'
    },
    Location: {
      description: "The url of the new record.",
      required: true,
      schema: { type: "string", format: "uri" }
    },
    Challenge: {
      description: "How to authenticate.",
      required: true,
      schema: { type: "string", enum: ["Bearer"] }
    }
  }
}

/** An integer in the document, although queries contain strings. */
export const limitSchema = { type: "integer", minimum: 1, maximum: 100, default: 20 }

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

/** Returns the documented request headers, without `Authorization`. */
export const headerParameters = (idempotent: boolean) => [
  ...(idempotent ? [parameters.IdempotencyKey] : []),
  parameters.RequestId
]

const retried = new Set([
  "idempotency_in_progress",
  "rate_limited",
  "asked_too_often",
  "asked_recently",
  "service_unavailable",
  "wallet_unavailable",
  "directory_unavailable",
  "verification_busy",
  "kyc_provider_unavailable"
])

/**
 * Returns the documented headers of a response. `codes` are its problem codes. On success, the codes `located` and
 * `idempotent` add `Location` and `Idempotent-Replayed`.
 */
export const responseHeaders = (status: number, codes: ReadonlyArray<string>): Record<string, unknown> => ({
  "X-Request-Id": header("RequestId"),
  ...(codes.includes("located") ? { Location: header("Location") } : {}),
  ...(codes.includes("idempotent") ? { "Idempotent-Replayed": header("Replayed") } : {}),
  ...(codes.some((code) => retried.has(code)) ? { "Retry-After": header("RetryAfter") } : {}),
  "RateLimit-Policy": header("RateLimitPolicy"),
  RateLimit: header("RateLimit"),
  ...(status === 401 ? { "WWW-Authenticate": header("Challenge") } : {})
})
