import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { Contender } from "./Contender.ts"
import { type BenchMerchant, paymentMinor } from "./load/LoadJob.ts"

interface Reply {
  readonly status: number
  readonly type: string
  readonly requestId: string | null
  readonly replayed: boolean
  readonly text: string
  /** The `code` of a problem response. Undefined if the body is not JSON or has no `code`. */
  readonly code: string | undefined
}

interface Probe {
  readonly apiKey?: string
  readonly idempotencyKey?: string
  readonly requestId?: string
  readonly body: string | Readonly<Record<string, unknown>>
}

/**
 * Sends the probe's refund, with a unique idempotency key unless the probe has one. An empty `apiKey` or
 * `idempotencyKey` omits the header.
 */
type Ask = (probe: Probe) => Promise<Reply>

interface Guarantee {
  readonly promise: string
  readonly observe: (ask: Ask, paymentId: string) => Promise<readonly [seen: unknown, expected: unknown]>
}

const wholeAmount = paymentMinor / 100
const atOnce = 16

const readCode = (text: string, type: string): string | undefined => {
  const body: { readonly code?: string } = type.includes("json") && text !== "" ? JSON.parse(text) : {}
  return body.code
}

const asker = (origin: string, merchant: BenchMerchant): Ask => {
  let count = 0
  return async ({ apiKey = merchant.apiKey, idempotencyKey, requestId, body }) => {
    count += 1
    const response = await fetch(`${origin}/v1/refunds`, {
      method: "POST",
      headers: {
        ...(apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(idempotencyKey === "" ? {} : { "idempotency-key": idempotencyKey ?? `probe-${count}` }),
        ...(requestId === undefined ? {} : { "x-request-id": requestId }),
        "content-type": "application/json"
      },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
    const text = await response.text()
    const type = response.headers.get("content-type") ?? ""
    return {
      status: response.status,
      type,
      requestId: response.headers.get("x-request-id"),
      replayed: response.headers.get("idempotent-replayed") === "true",
      text,
      code: readCode(text, type)
    }
  }
}

const refusal = ({ code, status, type }: Reply) => [status, code, type.startsWith("application/problem+json")]

const count = <A>(values: ReadonlyArray<A>, wanted: A): number => values.filter((value) => value === wanted).length

const refusals: ReadonlyArray<Guarantee> = [
  {
    promise: "a request without a key is refused",
    observe: async (ask) => [refusal(await ask({ apiKey: "", body: {} })), [401, "missing_api_key", true]]
  },
  {
    promise: "an unknown key is refused",
    observe: async (ask) => [
      refusal(await ask({ apiKey: `sk_live_${"0".repeat(49)}`, body: {} })),
      [401, "invalid_api_key", true]
    ]
  },
  {
    promise: "a request without an idempotency key is refused",
    observe: async (ask, id) => [
      refusal(await ask({ idempotencyKey: "", body: { transaction_id: id, amount: 1 } })),
      [400, "idempotency_key_required", true]
    ]
  },
  {
    promise: "an unknown field is refused",
    observe: async (ask, id) => [(await ask({ body: { transaction_id: id, amount: 1, amuont: 1 } })).status, 400]
  },
  {
    promise: "an amount that is not above 0 is refused",
    observe: async (ask, id) => [(await ask({ body: { transaction_id: id, amount: 0 } })).status, 400]
  },
  {
    promise: "too many decimals are refused",
    observe: async (ask, id) => [
      refusal(await ask({ body: { transaction_id: id, amount: 1.005 } })),
      [400, "amount_precision", true]
    ]
  },
  {
    promise: "an unknown payment is refused",
    observe: async (ask) => [
      refusal(await ask({ body: { transaction_id: "payment_unknown", amount: 1 } })),
      [404, "payment_not_found", true]
    ]
  },
  {
    promise: "more than the rest of the payment is refused",
    observe: async (ask, id) => [
      [
        (await ask({ body: { transaction_id: id, amount: 1 } })).status,
        ...refusal(await ask({ body: { transaction_id: id, amount: wholeAmount } }))
      ],
      [201, 400, "amount_exceeds_refundable", true]
    ]
  },
  {
    promise: "a caller's request id is kept",
    observe: async (ask, id) => [
      (await ask({ requestId: "probe-request", body: { transaction_id: id, amount: 1 } })).requestId,
      "probe-request"
    ]
  }
]

const idempotency: ReadonlyArray<Guarantee> = [
  {
    promise: "the same key and request, formatted differently, get the same bytes",
    observe: async (ask, id) => {
      const first = await ask({ idempotencyKey: "again", body: `{"transaction_id":"${id}","amount":2}` })
      const second = await ask({
        idempotencyKey: "again",
        body: `{ "currency": "ngn", "amount": 2.0, "transaction_id": "${id}" }`
      })
      return [
        [first.status, second.status, second.text, first.replayed, second.replayed],
        [201, 201, first.text, false, true]
      ]
    }
  },
  {
    promise: "the same key with another request is refused",
    observe: async (ask, id) => {
      await ask({ idempotencyKey: "other", body: { transaction_id: id, amount: 2 } })
      const second = await ask({ idempotencyKey: "other", body: { transaction_id: id, amount: 3 } })
      return [refusal(second), [409, "idempotency_key_reused", true]]
    }
  },
  {
    promise: `the same key and request, ${atOnce} at once, make one refund`,
    observe: async (ask, id) => {
      const probe = { idempotencyKey: "at-once", body: { transaction_id: id, amount: 5 } }
      const replies = await Promise.all(Array.from({ length: atOnce }, () => ask(probe)))
      const bodies = new Set(replies.map(({ text }) => text))
      return [
        [
          count(
            replies.map(({ status }) => status),
            201
          ),
          bodies.size,
          count(
            replies.map((reply) => reply.replayed),
            false
          )
        ],
        [atOnce, 1, 1]
      ]
    }
  },
  {
    promise: `of ${atOnce} full refunds at once one is made`,
    observe: async (ask, id) => {
      const probe = { body: { transaction_id: id } }
      const replies = await Promise.all(Array.from({ length: atOnce }, () => ask(probe)))
      const outcomes = replies.map(({ code, status }) => code ?? status)
      return [
        [count<unknown>(outcomes, 201), count<unknown>(outcomes, "already_refunded")],
        [1, atOnce - 1]
      ]
    }
  }
]

const check = (ask: Ask, { promise, observe }: Guarantee, contender: Contender, paymentId: string) =>
  Effect.gen(function* () {
    const [seen, expected] = yield* Effect.tryPromise({
      try: () => observe(ask, paymentId),
      catch: (cause) => new BenchFailed({ message: `${contender.name} did not respond (${promise}): ${cause}` })
    })
    if (JSON.stringify(seen) === JSON.stringify(expected)) return
    const detail = `saw ${JSON.stringify(seen)}, expected ${JSON.stringify(expected)}`
    return yield* new BenchFailed({ message: `${contender.name} breaks "${promise}": ${detail}` })
  })

/** Descriptions of the guarantees that `checkGuarantees` checks. */
export const promises: ReadonlyArray<string> = [...refusals, ...idempotency].map(({ promise }) => promise)

/** Fails at the first broken guarantee, or if the contender does not respond. */
export const checkGuarantees = (contender: Contender): Effect.Effect<void, BenchFailed> =>
  Effect.gen(function* () {
    const [merchant] = contender.fixture.probes
    if (merchant === undefined) return yield* new BenchFailed({ message: "No merchant for the guarantees" })
    const ask = asker(contender.origin, merchant)
    for (const [index, guarantee] of [...refusals, ...idempotency].entries()) {
      yield* check(ask, guarantee, contender, merchant.paymentIds[index] ?? "")
    }
  })
