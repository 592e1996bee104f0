import { NodeCrypto } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import type { Environment } from "@surety/core/Environment"
import { parseRefund } from "@surety/core/refund/RefundCommand"
import * as Refunds from "@surety/core/refund/Refunds"
import * as RequestLog from "@surety/core/request/Requests"
import * as Keyring from "@surety/core/secret/Keyring"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as Responses from "@surety/testing/Responses"
import { Effect, Layer, Redacted, Result, Tracer } from "effect"
import * as TestStores from "../TestStores.js"

const spans: Array<Tracer.NativeSpan> = []

const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    spans.push(span)
    return span
  }
})

/** Provides the tracer to the stores too, since batches run in their own fibers, not in the caller's. */
const services = Layer.merge(Refunds.layer, RequestLog.layer).pipe(
  Layer.provide([Responses.layer, Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))])]),
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(TestStores.postgres),
  Layer.provide(Layer.succeed(Tracer.Tracer, tracer))
)

/** Returns, for each statement of an effect, the SQL function that it calls, or its text if it calls none. */
const callsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const before = spans.length
  yield* Effect.provideService(effect, Tracer.Tracer, tracer)
  return spans.slice(before).flatMap(({ attributes }) => {
    const text = attributes.get("db.query.text")
    return typeof text === "string" ? [/\.(\w+)\(/u.exec(text)?.[1] ?? text] : []
  })
})

/** Returns false for the request log's call, which stores entries every second, independently of requests. */
const isOfRefund = (name: string): boolean => name !== "append_requests"

it.layer(services, { excludeTestServices: true })("a refund", (it) => {
  it.effect.each(["LIVE", "TEST"] as const)(
    "reads once and commits once in %s; its log entries are stored together",
    (environment: Environment) =>
      Effect.gen(function* () {
        const refunds = yield* Refunds.Refunds
        const log = yield* RequestLog.Requests
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), environment)
        const { payment } = yield* FreshPayment.settled({ scope })
        const at = yield* Fresh.now
        const entry = {
          ...scope,
          apiKeyId: Fresh.apiKeyId(at),
          keyLast4: "x7Qa",
          method: "POST",
          route: "/v1/refunds",
          status: 201,
          requestId: "one",
          at
        }
        const refund = Effect.gen(function* () {
          const command = Result.getOrThrow(parseRefund({ transactionId: payment.id, amount: 1 }))
          yield* refunds.create(scope, Fresh.idempotencyKey(), command)
          log.note(entry)
        })
        for (const _ of [1, 2, 3]) {
          assert.deepStrictEqual((yield* callsOf(refund)).filter(isOfRefund), ["load_refunds", "commit_refunds"])
        }
        yield* log.store
        for (const _ of [1, 2, 3]) log.note(entry)
        assert.deepStrictEqual(yield* callsOf(log.store), ["append_requests"])
        const { data } = yield* log.list(
          scope,
          { status: undefined, route: undefined },
          { limit: 10, cursor: undefined }
        )
        assert.strictEqual(data.length, 6)
      })
  )
})
