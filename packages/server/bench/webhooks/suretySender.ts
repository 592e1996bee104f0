// Surety's dispatcher and the code that commits events, in one process. Receivers may have private addresses. Events
// are committed as test events, since only these need no other record, such as a refund.
import type { TestEvent } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, EventId, type MerchantId, toUuid } from "@surety/core/Ids"
import { Merchants } from "@surety/core/merchant/Merchants"
import * as App from "@surety/server/App"
import * as Logging from "@surety/server/Logging"
import { parseSettings } from "@surety/server/settings/parseSettings"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Context, DateTime, Effect, Layer, Redacted, References, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import pg from "pg"
import { benchBody, serveRequests } from "./serveRequests.ts"

const environment = "LIVE"
const actor = "bench"

/** Maximum number of endpoints per merchant. */
const endpointsOfMerchant = 16

const profile = {
  name: "Bench",
  legalName: "Bench Ltd",
  contactName: Redacted.make("Ada Obi"),
  contactEmail: Redacted.make("ada@bench.example"),
  country: "NG",
  businessType: "retail"
}

const settings = Result.getOrThrow(
  parseSettings({ DATABASE_URL: process.env.DATABASE_URL, DATABASE_CONNECTIONS: "16", LOG_LEVEL: "warning" })
)
const keys = { operatorToken: Redacted.make(""), secretKeys: [Redacted.make(new Uint8Array(32).fill(7))] as const }

const decodeEndpointId = Schema.decodeSync(EndpointId)

const main = Effect.gen(function* () {
  const app = yield* Layer.build(App.layer(settings, keys))
  yield* Layer.build(NodeWebhooks.layerDevelopment).pipe(Effect.provideContext(app))
  const log = Context.get(app, EventLog)
  const endpoints = Context.get(app, WebhookEndpoints)
  const merchants = Context.get(app, Merchants)
  const run = Effect.runPromiseWith(Context.merge(app, yield* Effect.context<never>()))
  const merchantOf = new Map<string, MerchantId>()
  let newest: MerchantId | undefined

  const register = Effect.fnUntraced(function* (url: string) {
    if (newest === undefined || merchantOf.size % endpointsOfMerchant === 0) {
      newest = (yield* merchants.apply(profile, actor)).id
    }
    const { endpoint } = yield* endpoints.register(newest, { url, environment, topics: undefined })
    merchantOf.set(endpoint.id, newest)
    return endpoint.id
  })

  const emit = Effect.fnUntraced(function* (endpointId: string) {
    const merchantId = merchantOf.get(endpointId)
    if (merchantId === undefined) return yield* Effect.die(new Error(`No endpoint ${endpointId}`))
    const event: TestEvent = {
      id: yield* EventId.next,
      merchantId,
      environment,
      topic: "refund.completed",
      body: benchBody,
      occurredAt: yield* DateTime.now,
      testFor: decodeEndpointId(endpointId)
    }
    yield* log.sendTest(event)
    return event.id
  })

  const random = Context.get(app, SecureRandom.SecureRandom)
  serveRequests({
    pool: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 }),
    unrecorded: `select count(*) from surety.delivery where status = 'PENDING' and endpoint_id = any ($1::uuid[])`,
    idInDatabase: toUuid,
    register: (url) => run(register(url)),
    emit: (endpointId) => run(Effect.provideService(emit(endpointId), SecureRandom.SecureRandom, random))
  })
  return yield* Effect.never
})

Effect.runPromise(
  main.pipe(Effect.scoped, Effect.provide([Logging.layer(settings), Layer.succeed(References.TracerEnabled, false)]))
).catch((failure) => {
  console.error(failure)
  process.exit(1)
})
