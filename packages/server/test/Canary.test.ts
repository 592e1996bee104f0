import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative, sep } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "@surety/http/docs/OpenApiDocument"
import * as DatabaseProxy from "@surety/testing/machine/DatabaseProxy"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted, type Tracer } from "effect"
import { placeEmbeddedDatabase } from "../../postgres/test/EmbeddedDirectory.js"
import { abused, again } from "./support/canary/abuse.js"
import { databasePlaces } from "./support/canary/DatabasePlaces.js"
import { fullRun, tokenOf } from "./support/canary/fullRun.js"
import { findings, needlesOf, type Place } from "./support/canary/Needle.js"
import {
  guessable,
  planted,
  removedFromColumns,
  short,
  wantedAnswers,
  wantedColumns
} from "./support/canary/Planted.js"
import type { Run, Send, Spoken } from "./support/canary/Speaker.js"
import { textOfSpan, traced } from "./support/canary/traced.js"
import { visit } from "./support/canary/visit.js"
import { send } from "./support/Merchant.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { type Receiver, receiver } from "./support/Receiver.js"
import { withoutRateLimits } from "./support/ServerPair.js"
import { type ServerProcess, serverProcess, withDocs } from "./support/ServerProcess.js"

const timeoutMillis = 400_000

const operations = Object.entries(openApiDocument("http://localhost").paths).flatMap(([template, methods]) =>
  Object.keys(methods).map((method) => ({
    name: `${method.toUpperCase()} ${template}`,
    form: new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`)
  }))
)

/** Returns the operation that a request called. If several match, returns the one with the fewest path parameters. */
const operationOf = ({ method, path: url }: Spoken): string => {
  const [pathname = ""] = url.split("?")
  const called = operations.filter(({ form, name }) => name.startsWith(`${method} `) && form.test(pathname))
  return called.sort((a, b) => a.name.split("{").length - b.name.split("{").length)[0]?.name ?? "none"
}

const needles = (secrets: Run["secrets"]) => needlesOf({ ...planted, ...secrets }, { guessable, short })

const wanted = (table: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<string> =>
  Object.entries(table)
    .flatMap(([name, places]) => places.map((place) => `${name} in ${place}`))
    .sort()

/** Removes `instance`, the path of the request. A refusal may echo no other part of the request. */
const refusalText = (text: string): string => text.replace(/"instance":"[^"]*"/, "")

const answerPlaces = (spoken: ReadonlyArray<Spoken>): ReadonlyArray<Place> =>
  spoken.map((one): Place => {
    const { headers, status, text } = one.answer
    const refused = status >= 400
    const body = refused ? refusalText(text) : text
    const name = refused ? "a refusal" : one.party === "stranger" ? "a stranger's answer" : operationOf(one)
    return { name, bytes: Buffer.from(`${body}\n${JSON.stringify([...headers])}`) }
  })

const outputPlaces = (server: ServerProcess): ReadonlyArray<Place> => [
  { name: "standard output", bytes: Buffer.from(server.stdout()) },
  { name: "standard error", bytes: Buffer.from(server.stderr()) }
]

const metricsOf = async ({ operatorToken, url }: ServerProcess): Promise<string> =>
  (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })).text()

const deliveryPlaces = ({ received }: Receiver): ReadonlyArray<Place> =>
  received.map(({ body, headers }) => ({
    name: "a delivery",
    bytes: Buffer.concat([body, Buffer.from(JSON.stringify(headers))])
  }))

/** Values that a collector must receive. Finding them proves that the search reads the exports. */
const exported = {
  deployment: "canary-deployment",
  span: "POST /v1/kyc/verifications",
  failure: "PgConnection: ",
  metric: "http_requests_total"
}

const noHashes = { guessable: new Set<string>(), short: new Set<string>() }

const exportingTo = ({ url }: Receiver) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: `api-key=${planted.collectorKey}`,
  OTEL_RESOURCE_ATTRIBUTES: `deployment=${exported.deployment}`,
  OTEL_BSP_SCHEDULE_DELAY: "500",
  OTEL_METRIC_EXPORT_INTERVAL: "5000"
})

/** Joins the bodies of each signal's export requests. Omits the headers, which contain the collector's key. */
const exportPlaces = ({ received }: Receiver): ReadonlyArray<Place> =>
  ["traces", "metrics"].map((signal) => ({
    name: signal,
    bytes: Buffer.concat(received.filter(({ path: at }) => at.endsWith(signal)).map(({ body }) => body))
  }))

const expectEveryRoute = (spoken: ReadonlyArray<Spoken>): void => {
  const succeeded = new Set(spoken.filter(({ answer }) => answer.status < 300).map(operationOf))
  const missing = operations.map(({ name }) => name).filter((name) => !succeeded.has(name))
  assert.deepStrictEqual(missing, [])
}

const expectOnly = (found: ReadonlyArray<string>, table: Readonly<Record<string, ReadonlyArray<string>>>): void => {
  assert.deepStrictEqual(found, wanted(table))
}

const settings = {
  ...withDocs,
  SECRETS_KEY: planted.secretsKey,
  OPERATOR_TOKEN: planted.operatorToken,
  OPERATOR_TOKENS: `bola:admin:${createHash("sha256").update(planted.secondOperatorToken).digest("hex")}`,
  LOG_LEVEL: "debug",
  ...withoutRateLimits
}

const noticeOf = ({ received }: Receiver, index: number) => JSON.parse(String(received.at(index)?.body))

/**
 * Creates a LIVE person and requests the person's data. Then decides on the consent page as that person, with the link
 * and code sent to the platform.
 */
const onThePage = Effect.fnUntraced(function* (sendTo: Send, { secrets }: Run, platform: Receiver) {
  const operator = { bearer: planted.operatorToken }
  const liveLink = tokenOf(noticeOf(platform, 0).consentUrl)
  const person = { displayName: planted.liveName, email: planted.liveEmail }
  const { body } = yield* sendTo("POST", "/operator/consumers", { ...operator, body: person })
  const wish = { service_id: body.serviceId, requested_fields: ["email", "display_name"] }
  const asking = { headers: { "idempotency-key": "on-the-page" }, body: wish }
  yield* sendTo("POST", "/v1/data-requests", { bearer: secrets.liveKey ?? "", ...asking })
  yield* platform.waitFor(2)
  const { consentUrl } = noticeOf(platform, 1)
  const latestCode = () => Effect.runPromise(Effect.map(platform.waitFor(3), (): string => noticeOf(platform, 2).code))
  return { liveLink, pageLink: tokenOf(consentUrl), ...(yield* visit(consentUrl, latestCode)) }
})

/**
 * Plants a value in each column of a new table. The columns differ in their types or encodings. Finding these values
 * proves that the search works.
 */
const plantEverywhere = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const email = Buffer.from(planted.email)
  yield* sql`create table public.forgotten (a text, b bytea, c jsonb, d text[], e text, f text)`
  yield* sql`insert into public.forgotten values (${`x${planted.bvn}`}, ${email}, ${sql.json({ x: [planted.selfie] })},
    ${sql`array[${planted.code}]`}, ${Buffer.from(`yy${planted.birthday}`).toString("base64")},
    ${Buffer.from(planted.lastName).toString("hex")})`
  return ["bvn", "email", "selfie", "code", "birthday", "lastName"].map(
    (name, index) => `${name} in forgotten.${"abcdef"[index]}`
  )
})

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "surety-canary-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const filesIn = (dataDir: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(dataDir, file), readFileSync(file)])
  )

const filePlaces = (dataDir: string, before: ReadonlyMap<string, Buffer>): ReadonlyArray<Place> =>
  [...filesIn(dataDir)]
    .filter(([within, bytes]) => before.get(within)?.equals(bytes) !== true)
    .map(([within, bytes]) => ({
      name: within.startsWith(`database${sep}`) ? "the database's files" : within,
      bytes
    }))

describe("What persons and merchants entrust", () => {
  it.live(
    "is only where the design wants it: on PostgreSQL, in the log at debug, in metrics, at a collector, in answers and in deliveries",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const road = yield* DatabaseProxy.make(url)
        const address = new URL(Redacted.value(RunDatabase.asServing(road.url)))
        address.password = planted.databasePassword
        const shop = yield* receiver
        const platform = yield* receiver
        const collector = yield* receiver
        const server = yield* serverProcess({
          ...settings,
          DATABASE_URL: address.href,
          CONSENT_NOTIFY_URL: platform.url,
          CONSENT_NOTIFY_SECRET: planted.hookSecret,
          CONSENT_CODE: "required",
          ...exportingTo(collector)
        })
        const sendTo: Send = (method, target, sending) => send(server, method, target, sending)
        const run = yield* fullRun(sendTo, shop.url, platform.waitFor(1))
        expectEveryRoute(run.spoken)
        Object.assign(run.secrets, yield* onThePage(sendTo, run, platform))
        const wrong = yield* abused(run, sendTo)
        yield* shop.waitFor(3)
        yield* road.set("cut")
        const cut = yield* again(run, sendTo)
        assert.isAbove(cut.filter(({ answer }) => answer.status === 503).length, operations.length / 2)
        yield* road.set("open")

        const sought = needles(run.secrets)
        const output = outputPlaces(server)
        assert.isAbove(server.stderr().split("\n").length, 300)
        expectOnly(findings(sought, output), {})
        const metrics = yield* Effect.promise(() => metricsOf(server))
        assert.include(metrics, 'route="unmatched"')
        expectOnly(findings(sought, [{ name: "the metrics", bytes: Buffer.from(metrics) }]), {})
        // Stopping the server sends the remaining telemetry.
        assert.strictEqual(yield* Effect.promise(() => server.stop()), 0)
        expectOnly(findings([...sought, ...needlesOf(exported, noHashes)], exportPlaces(collector)), {
          span: ["traces"],
          failure: ["traces"],
          metric: ["metrics"],
          deployment: ["metrics", "traces"]
        })
        expectOnly(findings(sought, deliveryPlaces(shop)), {})
        expectOnly(findings(sought, deliveryPlaces(platform)), { liveLink: ["a delivery"], pageLink: ["a delivery"] })
        // With a consent hook, the operator's list of pending requests contains no links.
        const linksApart = { ...wantedAnswers, liveLink: [], testLink: ["POST /v1/data-requests"] }
        expectOnly(findings(sought, answerPlaces([...run.spoken, ...wrong, ...cut])), linksApart)
        yield* Effect.gen(function* () {
          expectOnly(findings(sought, yield* databasePlaces), wantedColumns)
          const planted = yield* plantEverywhere
          const found = findings(sought, yield* databasePlaces)
          assert.deepStrictEqual(
            planted.filter((one) => !found.includes(one)),
            []
          )
        }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    timeoutMillis
  )

  it.live(
    "is in the embedded database's files only where it is or was in a column, and in no other file",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* directory
        yield* Effect.promise(() => placeEmbeddedDatabase(join(dataDir, "database")))
        const before = filesIn(dataDir)
        const shop = yield* receiver
        const server = yield* serverProcess({ ...settings, DOCS: "off", DATA_DIR: dataDir })
        const run = yield* fullRun((method, target, sending) => send(server, method, target, sending), shop.url)
        expectEveryRoute(run.spoken)
        assert.strictEqual(yield* Effect.promise(() => server.stop()), 0)
        const sought = needles(run.secrets)
        expectOnly(findings(sought, outputPlaces(server)), {})
        const stored = [...Object.keys(wantedColumns), ...removedFromColumns]
        const inFiles = Object.fromEntries(stored.map((name) => [name, ["the database's files"]]))
        expectOnly(findings(sought, filePlaces(dataDir, before)), inFiles)
      }).pipe(Effect.scoped),
    timeoutMillis
  )

  it.live(
    "is in no span",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const shop = yield* receiver
        const spans: Array<Tracer.NativeSpan> = []
        const database = Redacted.value(RunDatabase.asServing(url))
        const sendTo = yield* traced({ ...settings, DATABASE_URL: database, LOG_LEVEL: "none" }, spans)
        const run = yield* fullRun(sendTo, shop.url)
        expectEveryRoute(run.spoken)
        yield* abused(run, sendTo)
        assert.isAbove(spans.length, 1000)
        assert.include([...new Set(spans.map(({ name }) => name))], "Verifications.submit")
        const places = spans.map((span) => ({ name: span.name, bytes: Buffer.from(textOfSpan(span)) }))
        expectOnly(findings(needles(run.secrets), places), {})
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    timeoutMillis
  )
})
