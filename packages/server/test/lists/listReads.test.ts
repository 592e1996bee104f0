import { NodeCrypto } from "@effect/platform-node"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as CheckCharacter from "@surety/core/CheckCharacter"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { ConsumerIdScheme } from "@surety/core/consumer/ConsumerId"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { EndpointId, MerchantId, toUuid } from "@surety/core/Ids"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import { RateLimits } from "@surety/http/access/RateLimits"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as Responses from "@surety/http/Responses"
import * as Routes from "@surety/http/Routes"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import { layer as layerDatabase, TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { fill } from "./LargeTables.js"
import { combinations, type ListOperation, lists } from "./ListOperations.js"

const timeoutMillis = 600_000
const operatorToken = Redacted.make("operator-token-for-tests")
const limit = 10

/**
 * Limit on the rows and index entries that a request for a page of 10 may read. It leaves room for lookups besides the
 * page, such as the key.
 */
const mostRead = 400

/** Number of executions after which PostgreSQL has decided whether to keep a statement's generic plan. */
const untilKept = 7

/**
 * A separate PostgreSQL server, because new events wait for open transactions of every database on their server.
 * Filling takes seconds, which would delay other tests' events on the shared server.
 */
const ownDatabase = Layer.provide(layerDatabase, TestPostgres.layer)

/** A single connection, so that flushing its statistics covers all of the test's reads. */
const database = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))

const services = Surety.layer({
  stores: Layer.merge(PgStores.layer, PgMigrations.layer).pipe(Layer.provideMerge(database)),
  keyring: Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]),
  targets: TargetPolicy.layerDevelopment,
  consentUrls: ConsentUrls.layer("http://localhost"),
  responses: Responses.layer
}).pipe(
  Layer.provideMerge(NodeCrypto.layer),
  Layer.provideMerge(Layer.succeed(ConsumerIdScheme, CheckCharacter.shapeOnly)),
  Layer.provideMerge(Layer.succeed(RateLimits, { refunds: undefined, other: undefined, provisioning: undefined })),
  Layer.provideMerge(
    Layer.succeed(HttpSettings, {
      publicUrl: "http://localhost",
      basePath: "",
      provisioning: "open",
      operatorToken,
      docs: false
    })
  ),
  Layer.provideMerge(ownDatabase)
)

const application = {
  name: "Corner Shop",
  legalName: "Corner Shop Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@corner.example",
  country: "Nigeria",
  businessType: "retail"
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads responses of any shape
type Answered = { readonly status: number; readonly body: any }

const makeSend = Effect.map(
  Effect.acquireRelease(
    Effect.map(Effect.context<Layer.Success<typeof services>>(), (context) =>
      HttpRouter.toWebHandler(Layer.provideMerge(Routes.layer, Layer.succeedContext(context)), {
        routerConfig: Routes.routerConfig,
        disableLogger: true
      })
    ),
    ({ dispose }) => Effect.promise(() => dispose())
  ),
  ({ handler }) =>
    (method: string, path: string, bearer: string, body?: object): Effect.Effect<Answered> =>
      Effect.promise(async () => {
        const headers = {
          "content-type": "application/json",
          authorization: `Bearer ${bearer}`,
          "idempotency-key": path
        }
        const sent = body === undefined ? {} : { body: JSON.stringify(body) }
        const response = await handler(new Request(`http://localhost${path}`, { method, headers, ...sent }))
        return { status: response.status, body: await response.json() }
      })
)

const Reads = Schema.Tuple([Schema.Struct({ rows: Schema.BigInt })])

const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
const aWeekAgo = ago(7)

/** Number of rows and index entries read from Surety's tables so far, including this connection's latest reads. */
const readSoFar = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`select pg_stat_force_next_flush()`
  const rows = yield* sql`
    select sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0) + (
      select coalesce(sum(i.idx_tup_read), 0) from pg_stat_user_indexes i where i.relid = t.relid
    ))::bigint as rows
    from pg_stat_user_tables t where t.schemaname = 'surety'`
  const [read] = yield* Schema.decodeUnknownEffect(Reads)(rows)
  return Number(read.rows)
})

const Runs = Schema.Array(Schema.Struct({ name: Schema.String, runs: Schema.Int }))

/** Run counts of this connection's prepared statements so far, by statement name. */
const runsSoFar = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql`
    select name, (generic_plans + custom_plans)::integer as runs
    from pg_prepared_statements where statement not like '%pg_prepared_statements%'`
  return new Map((yield* Schema.decodeUnknownEffect(Runs)(rows)).map(({ name, runs }) => [name, runs]))
})

const queryOf = (filters: Readonly<Record<string, string>>, cursor: string | undefined): string =>
  new URLSearchParams({ ...filters, limit: String(limit), ...(cursor === undefined ? {} : { cursor }) }).toString()

it.layer(services, { timeout: timeoutMillis, excludeTestServices: true })("every list of the interface", (it) => {
  it.effect(
    "reads no more than its page, with every filter and combination of them, among many rows of a large merchant",
    () =>
      Effect.gen(function* () {
        const send = yield* makeSend
        const operator = Redacted.value(operatorToken)
        const owner = Effect.gen(function* () {
          const merchant = yield* send("POST", "/merchants", operator, application)
          const { id } = merchant.body
          const key = yield* send("POST", `/merchants/${id}/api-keys`, operator, { environment: "TEST" })
          const endpoint = Effect.map(
            send("POST", `/merchants/${id}/webhooks`, operator, { url: "https://shop.example" }),
            ({ body }) => body.id as string
          )
          return {
            id: id as string,
            key: key.body.secret as string,
            endpoints: [yield* endpoint, yield* endpoint] as const
          }
        })
        const [big, small] = [yield* owner, yield* owner]
        const { key } = yield* owner
        const { serviceId, userId } = (yield* send("POST", "/v1/test-helpers/consumers", key, {})).body
        yield* send("POST", "/v1/test-helpers/payments", key, { service_id: serviceId, amount: 5 })
        const accountId = Buffer.from(JSON.stringify(["TEST", "WALLET", "NGN", userId])).toString("base64url")
        const asking = { service_id: serviceId, requested_fields: ["country"] }
        const request = yield* send("POST", "/v1/data-requests", key, asking)
        const approved = yield* send("POST", `/v1/test-helpers/data-requests/${request.body.id}/approve`, key, {})
        assert.strictEqual(approved.status, 201)
        const uuids = ({ endpoints: [endpointId], id }: typeof big) => ({
          merchantId: toUuid(MerchantId.make(id)),
          endpointId: toUuid(EndpointId.make(endpointId))
        })
        const rareEndpointId = toUuid(EndpointId.make(big.endpoints[1]))
        yield* fill({ big: uuids(big), small: uuids(small), rareEndpointId })

        const known = {
          merchantId: [big.id, small.id],
          endpointId: [big.endpoints[0], big.endpoints[1], small.endpoints[0]],
          userId: ["common", "rare"],
          service_id: ["SR1-3333-3333-A", "SR1-2222-2222-A"],
          serviceId: ["SR1-3333-3333-A", "SR1-2222-2222-A"],
          transactionId: ["payment-6", "rare-1"],
          reference: ["reference-1"],
          externalId: ["crm 7"],
          email: ["PERSON7@example.com"],
          actor: ["common", "rare"],
          target: ["target 7"],
          status: ["200", "409"],
          route: ["/v1/refunds/:refundId"],
          from: [aWeekAgo],
          to: [aWeekAgo],
          transaction_id: ["payment-6", "rare-1"]
        }
        /**
         * Requests a page at least twice, until each of its statements has run `untilKept` times. Returns the responses
         * and the mean number of rows and index entries read per request.
         */
        const readsOf = Effect.fnUntraced(function* (page: Effect.Effect<Answered>) {
          const [before, runs] = [yield* readSoFar, yield* runsSoFar]
          const first = yield* page
          const ran = [...(yield* runsSoFar)].flatMap(([name, count]) => (count === runs.get(name) ? [] : [count]))
          assert.isNotEmpty(ran, "the page's statements are prepared")
          const missing = Math.max(1, untilKept - Math.min(...ran))
          const answers = [first, ...(yield* Effect.replicateEffect(page, missing))]
          const read = Math.ceil(((yield* readSoFar) - before) / answers.length)
          for (const { body, status } of answers) assert.strictEqual(status, 200, JSON.stringify(body))
          return { answers, read }
        })
        /** Describes the first and second pages of a list that read more than `mostRead` rows and index entries. */
        const wastefulIn = Effect.fnUntraced(function* (list: ListOperation) {
          const wasteful: Array<string> = []
          const isOwn = list.path.startsWith("/v1/")
          const owners = isOwn || list.path.includes("{merchantId}") ? [big, small] : [big]
          for (const { id, key } of owners) {
            const path = list.path.replace("{merchantId}", id).replace("{accountId}", accountId)
            const ask = (query: string) => send("GET", `${path}?${query}`, isOwn ? key : operator)
            for (const filters of combinations(list, known)) {
              let cursor: string | undefined
              for (const page of ["first", "second"]) {
                const query = queryOf(filters, cursor)
                const { answers, read: once } = yield* readsOf(ask(query))
                // Autovacuum may read the tables at any time, but only the list's own reads recur.
                const read = once > mostRead ? Math.min(once, (yield* readsOf(ask(query))).read) : once
                if (read > mostRead)
                  wasteful.push(`${page} page of ${path}?${queryOf(filters, undefined)}: ${read} rows`)
                cursor = answers.at(-1)?.body.nextCursor
                if (cursor === undefined) break
              }
            }
          }
          return wasteful
        })
        assert.isAtLeast(lists.length, 18)
        assert.deepStrictEqual((yield* Effect.forEach(lists, wastefulIn)).flat(), [])

        const sql = yield* PgClient.PgClient
        yield* sql`drop index surety.event_test_topic_idx, surety.delivery_endpoint_idx`
        for (const path of ["/v1/events", "/operator/deliveries"]) {
          const [list] = lists.filter((each) => each.path === path)
          assert.isDefined(list)
          assert.isNotEmpty(yield* wastefulIn(list), `${path} lacks an index and this test does not notice`)
        }
      }).pipe(Effect.scoped),
    timeoutMillis
  )
})
