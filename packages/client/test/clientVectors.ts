import { retryAfterMillis } from "../src/call/RetryAfter.js"
import { mayHaveTakenEffect, retryDelay, settlesTheOutcome } from "../src/call/RetryPolicy.js"
import type { Failure } from "../src/Outcome.js"
import type { Route } from "../src/Route.js"

const routes: Readonly<Record<string, Route>> = {
  read: { method: "GET", path: "/v1/refunds" },
  keyed: { method: "POST", path: "/v1/refunds", keyed: true },
  bare: { method: "POST", path: "/v1/test-helpers/consumers" }
}

/** A failed attempt, in a language-independent form. */
interface GivenFailure {
  readonly kind: "problem" | "unexpected" | "silence" | "timeout"
  readonly status?: number
  readonly code?: string
  /** True if the problem lists faults of the request. */
  readonly faults?: boolean
  readonly retryAfterMillis?: number
  readonly garbled?: boolean
  readonly notSent?: boolean
  readonly deadline?: boolean
}

const failureOf = (given: GivenFailure): Failure => {
  const {
    code = "a_code",
    deadline = false,
    faults = false,
    garbled = false,
    notSent = false,
    retryAfterMillis: waits,
    status = 0
  } = given
  const answered = { status, requestId: null, retryAfterMillis: waits }
  switch (given.kind) {
    case "problem": {
      const texts = { type: "about:blank", title: "", detail: "", instance: "/", requestId: "" }
      const errors = faults ? [{ pointer: "#/amount", code, detail: "" }] : []
      return { kind: "problem", ...answered, problem: { ...texts, status, code, errors } }
    }
    case "unexpected":
      return { kind: "unexpected", ...answered, what: "", garbled }
    case "silence":
      return { kind: "silence", said: "", systemCode: undefined, notSent }
    case "timeout":
      return { kind: "timeout", millis: 1, deadline }
  }
}

const statuses = [200, 201, 302, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 501, 502, 503, 504, 520, 524, 599]

const failures: ReadonlyArray<GivenFailure> = [
  ...statuses.filter((status) => status >= 400).map((status) => ({ kind: "problem" as const, status })),
  ...statuses.map((status) => ({ kind: "unexpected" as const, status })),
  { kind: "problem", status: 409, code: "idempotency_in_progress" },
  { kind: "problem", status: 400, faults: true },
  { kind: "problem", status: 400, code: "invalid_json" },
  { kind: "problem", status: 404, code: "route_not_found" },
  ...[405, 406, 415].map((status) => ({ kind: "problem" as const, status })),
  { kind: "problem", status: 429, retryAfterMillis: 2000 },
  { kind: "problem", status: 503, retryAfterMillis: 60_000 },
  { kind: "problem", status: 503, retryAfterMillis: 60_001 },
  { kind: "unexpected", status: 503, retryAfterMillis: 7000 },
  { kind: "unexpected", status: 201, garbled: true },
  { kind: "silence", notSent: true },
  { kind: "silence", notSent: false },
  { kind: "timeout", deadline: false },
  { kind: "timeout", deadline: true }
]

/**
 * Expected decisions for each failure on each kind of route. `delays` are in milliseconds, after attempts 1, 2 and 6,
 * with the random number at 0 and 1. A delay is null if the request is not retried.
 */
const retries = failures.flatMap((failure) =>
  Object.entries(routes).map(([route, of]) => ({
    failure,
    route,
    delays: [1, 2, 6].map((attempts) =>
      [0, 1].map((random) => retryDelay(failureOf(failure), of, attempts, random) ?? null)
    ),
    mayHaveTakenEffect: mayHaveTakenEffect(failureOf(failure), of),
    settlesTheOutcome: settlesTheOutcome(failureOf(failure), of)
  }))
)

const nowMillis = Date.parse("2026-03-01T10:00:00Z")

const retryAfter = [
  ...["0", "7", " 7 ", "999999999", "1000000000", "-1", "1.5", "1e3", "NaN", "", "soon", "٧"],
  ...["Sun, 01 Mar 2026 10:00:05 GMT", "Sun, 01 Mar 2026 09:00:00 GMT", "Sun, 99 Mar 2026 10:00:05 GMT", "2026-03-01"]
].map((header) => ({ header, nowMillis, millis: retryAfterMillis(header, nowMillis) ?? null }))

export const clientVectors = {
  description:
    "What the merchants' client retries and accepts, in any language. Generated from packages/client/test/clientVectors.ts.",
  retries,
  retryAfter,
  /** Decimal strings, each with the number sent for it, or null if the string is rejected. */
  amounts: [
    ["0", "0"],
    ["1", "1"],
    ["2500.5", "2500.5"],
    ["2500.50", "2500.5"],
    ["1000.00", "1000"],
    ["007.10", "7.1"],
    ["0.01", "0.01"],
    ["9999999999999.99", "9999999999999.99"],
    ["999999999999999", "999999999999999"],
    ["9007199254740.93", "9007199254740.93"],
    ...[
      "10000000000000.001",
      "1000000000000000",
      "",
      " ",
      "1 ",
      "-1",
      "+1",
      ".5",
      "1.",
      "1,5",
      "1e3",
      "NaN",
      "Infinity"
    ].map((decimal) => [decimal, null] as const),
    ...["0x10", "1_000", "１", "1.5\n", "1.5.5"].map((decimal) => [decimal, null] as const)
  ].map(([decimal, number]) => ({ decimal, number })),
  minors: [
    { minor: 250_050, decimals: 2, number: "2500.5" },
    { minor: 5, decimals: 2, number: "0.05" },
    { minor: 0, decimals: 2, number: "0" },
    { minor: 7, decimals: 0, number: "7" },
    { minor: 1_234_567, decimals: 3, number: "1234.567" }
  ],
  /** Urls, each with the resulting base url, or null if the url is rejected. */
  baseUrls: [
    ["https://pay.example", "https://pay.example"],
    ["https://pay.example/", "https://pay.example"],
    ["https://pay.example/api/", "https://pay.example/api"],
    ["https://pay.example:8443/api", "https://pay.example:8443/api"],
    ["http://127.0.0.1:3000", "http://127.0.0.1:3000"],
    ["http://localhost:3000/", "http://localhost:3000"],
    ["http://[::1]:3000", "http://[::1]:3000"],
    ["http://surety.localhost:3000", "http://surety.localhost:3000"],
    ["https://pay.example/v1", "https://pay.example"],
    ["https://pay.example/api/v1/", "https://pay.example/api"],
    ["https://pay.example/apiv1", "https://pay.example/apiv1"],
    ...[
      ...["", "pay.example", "/api", "ftp://pay.example", "http://pay.example", "http://127.0.0.1.example"],
      ...[
        "https://ada:secret@pay.example",
        "https://ada@pay.example",
        "https://pay.example?a=1",
        "https://pay.example#a"
      ],
      ...["https://", "https://pay.example:port", "http://localhost.example", "javascript:alert(1)"]
    ].map((given) => [given, null] as const)
  ].map(([given, base]) => ({ given, base })),
  idempotencyKeys: [
    ["refund-order-1001", true],
    ["a b", true],
    ["x".repeat(255), true],
    ["x".repeat(256), false],
    [" ", false],
    ["a\nb", false],
    ["a\n", false],
    ["é", false]
  ].map(([key, valid]) => ({ key, valid })),
  apiKeys: [
    ["sk_test_abc", true],
    ["sk_live_ABC_123", true],
    ...["", "sk_test_", "pk_test_abc", "whsec_abc", " sk_test_abc", "sk_test_abc\n", "sk_test_a b", "sk_test_é"].map(
      (key) => [key, false] as const
    )
  ].map(([key, valid]) => ({ key, valid })),
  /** Ids, each with its encoded path segment, or null if the id is rejected. */
  segments: [
    ["refund_1", "refund_1"],
    ["a/b", "a%2Fb"],
    ["a?b#c", "a%3Fb%23c"],
    ["a b+c", "a%20b%2Bc"],
    ["é", "%C3%A9"],
    ["..a", "..a"],
    ...["", ".", ".."].map((id) => [id, null] as const)
  ].map(([id, segment]) => ({ id, segment }))
}
