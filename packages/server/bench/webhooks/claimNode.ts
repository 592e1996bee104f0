// A node in a separate process. It claims due deliveries and records them as delivered without sending them. A message
// from the parent starts the node, which replies with its totals once nothing is due.
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import * as App from "@surety/server/App"
import * as Logging from "@surety/server/Logging"
import { parseSettings } from "@surety/server/settings/parseSettings"
import { Context, DateTime, Effect, Layer, Redacted, References, Result } from "effect"
import { type ClaimReply, mostAtOnce, perEndpoint } from "./claimMessages.ts"

const settings = Result.getOrThrow(
  parseSettings({ DATABASE_URL: process.env.DATABASE_URL, DATABASE_CONNECTIONS: "16", LOG_LEVEL: "warning" })
)
const keys = { operatorToken: Redacted.make(""), secretKeys: [Redacted.make(new Uint8Array(32).fill(7))] as const }

/**
 * Number of consecutive empty claims after which the node stops claiming. One is not enough, since other nodes may
 * briefly lock endpoints that still have due deliveries.
 */
const enoughEmpty = 5

const take = Effect.fnUntraced(function* (queue: DeliveryQueue["Service"]) {
  let [deliveries, claims, empty] = [0, 0, 0]
  while (empty < enoughEmpty) {
    const now = yield* DateTime.now
    const leasedUntil = DateTime.addDuration(now, "1 minute")
    const due = yield* queue.claim({ now, leasedUntil, limit: mostAtOnce, perEndpoint })
    claims += 1
    empty = due.length === 0 ? empty + 1 : 0
    if (due.length === 0) yield* Effect.sleep("5 millis")
    yield* Effect.forEach(
      due,
      (one) => {
        const attempt = { number: one.delivery.attempts + 1, durationMillis: 1, responseStatus: 200, responseBody: "" }
        return queue.settle(one, { deliveryId: one.delivery.id, startedAt: now, ...attempt }, { _tag: "Delivered" })
      },
      { concurrency: "unbounded", discard: true }
    )
    deliveries += due.length
  }
  return { deliveries, claims }
})

const main = Effect.gen(function* () {
  const app = yield* Layer.build(App.layer(settings, keys))
  const queue = Context.get(app, DeliveryQueue)
  const run = Effect.runPromiseWith(Context.merge(app, yield* Effect.context<never>()))
  const reply = (message: ClaimReply): void => {
    process.send?.(message)
  }
  process.on("message", () => {
    run(take(queue)).then(reply, (failure: unknown) => {
      console.error(failure)
      process.exit(1)
    })
  })
  process.on("disconnect", () => process.exit(0))
  reply({ deliveries: 0, claims: 0 })
  return yield* Effect.never
})

Effect.runPromise(
  main.pipe(Effect.scoped, Effect.provide([Logging.layer(settings), Layer.succeed(References.TracerEnabled, false)]))
).catch((failure) => {
  console.error(failure)
  process.exit(1)
})
