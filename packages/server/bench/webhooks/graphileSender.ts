// A webhook sender as a graphile-worker task, in the same process as the code that commits events. It uses Surety's
// signer, HTTP client and cache of opened secrets. Its tables and statements are like those that a team would write for
// itself.
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as WebhookSecret from "@surety/core/event/WebhookSecret"
import { EventId } from "@surety/core/Ids"
import * as Keyring from "@surety/core/secret/Keyring"
import * as NodeMac from "@surety/webhooks/node/NodeMac"
import * as UndiciHttpClient from "@surety/webhooks/node/UndiciHttpClient"
import * as OpenedSecrets from "@surety/webhooks/send/OpenedSecrets"
import * as WebhookSender from "@surety/webhooks/send/WebhookSender"
import * as WebhookSigner from "@surety/webhooks/send/WebhookSigner"
import { DateTime, Effect, Layer, Redacted, References, Schema } from "effect"
import { Logger, runMigrations, run as runWorker } from "graphile-worker"
import pg from "pg"
import { emitStatement, graphileSchema, loadStatement, recordStatement } from "./graphileSchema.ts"
import { benchBody, serveRequests } from "./serveRequests.ts"

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 })
pool.on("error", (error) => console.error(error.message))
pool.on("connect", (client) => void client.on("error", (error) => console.error(error.message)))

/** Logs only errors. Omits the line that graphile-worker logs for each job by default. */
const quiet = new Logger(() => (level, message) => (level === "error" ? console.error(message) : undefined))

const jobsAtOnce = Number(process.env.JOBS_AT_ONCE ?? 64)

const services = Layer.mergeAll(
  Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]),
  WebhookSigner.layer,
  WebhookSender.layer
).pipe(
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment]),
  Layer.provideMerge(Layer.merge(NodeCrypto.layer, NodeMac.layer)),
  Layer.orDie
)

const decodeEventId = Schema.decodeSync(EventId)
const utf8 = new TextEncoder()

const deliver = Effect.fnUntraced(function* (openSecret: OpenedSecrets.OpenedSecrets, deliveryId: string) {
  const { rows } = yield* Effect.promise(() => pool.query({ name: "load", text: loadStatement, values: [deliveryId] }))
  const [due] = rows
  const sealed = { keyId: due.secret_key_id, bytes: new Uint8Array(due.secret) }
  const secret = yield* openSecret(due.endpoint_id, { sealed, createdAt: DateTime.makeUnsafe(0) })
  const attempt = due.attempts + 1
  const body = utf8.encode(due.body)
  const event = { id: decodeEventId(due.event_id), topic: due.topic, environment: "LIVE" as const }
  const signer = yield* WebhookSigner.WebhookSigner
  const headers = yield* signer.sign({ event, body, attempt }, [secret])
  const startedAt = new Date()
  const outcome = yield* (yield* WebhookSender.WebhookSender).send({ url: due.url, headers, body })
  const isDelivered = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300
  const { bodyText = null, durationMillis, error = null, status = null } = outcome
  const values = [deliveryId, attempt, startedAt, durationMillis, status, isDelivered, bodyText, error]
  yield* Effect.promise(() => pool.query({ name: "record", text: recordStatement, values }))
  if (!isDelivered) return yield* Effect.die(new Error("The receiver rejected the delivery"))
})

const register = Effect.fnUntraced(function* (url: string) {
  const id = crypto.randomUUID()
  const { bytes, keyId } = yield* (yield* Keyring.Keyring).seal(id, yield* WebhookSecret.next)
  const values = [id, url, keyId, Buffer.from(bytes)]
  const text = "insert into endpoint (id, url, secret_key_id, secret) values ($1, $2, $3, $4)"
  yield* Effect.promise(() => pool.query(text, values))
  return id
})

const emit = Effect.fnUntraced(function* (endpointId: string) {
  const id = yield* EventId.next
  yield* Effect.promise(() => pool.query({ name: "emit", text: emitStatement, values: [id, benchBody, endpointId] }))
  return id
})

const main = Effect.gen(function* () {
  const run = Effect.runPromiseWith(yield* Effect.context<Layer.Success<typeof services>>())
  const openSecret = yield* OpenedSecrets.make
  yield* Effect.promise(async () => {
    await runMigrations({ pgPool: pool, logger: quiet })
    await pool.query(graphileSchema)
    await runWorker({
      pgPool: pool,
      logger: quiet,
      noHandleSignals: true,
      taskList: {
        deliver: (payload) => run(deliver(openSecret, (payload as { readonly deliveryId: string }).deliveryId))
      },
      // Follows graphile-worker's advice for throughput: fetch and complete jobs in batches.
      preset: {
        worker: {
          concurrentJobs: jobsAtOnce,
          pollInterval: 500,
          localQueue: { size: jobsAtOnce + 1 },
          completeJobBatchDelay: 0
        }
      }
    })
  })
  serveRequests({
    pool,
    unrecorded: "select count(*) from delivery where status = 'PENDING' and endpoint_id = any ($1::uuid[])",
    idInDatabase: (id) => id,
    register: (url) => run(register(url)),
    emit: (endpointId) => run(emit(endpointId))
  })
  return yield* Effect.never
})

Effect.runPromise(main.pipe(Effect.provide(services), Effect.provideService(References.TracerEnabled, false))).catch(
  (failure) => {
    console.error(failure)
    process.exit(1)
  }
)
