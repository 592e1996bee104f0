// node packages/server/bench/flows/main.ts [--list]
//
// Counts the source files that a warm server on PostgreSQL runs for one request or webhook attempt. Also counts all
// lines of these files. Uses V8's coverage. Prints a report as JSON. `--list` prints the names of the files on standard
// error. Excludes types, SQL functions and files that run only at start-up.
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Console, Effect } from "effect"
import pg from "pg"
import * as BenchDatabase from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import type { BenchReport } from "../Report.ts"
import * as ServerProcess from "../ServerProcess.ts"
import { Coverage, inEach, linesOf } from "./ranFiles.ts"

const { values } = parseArgs({
  options: { list: { type: "boolean" }, quick: { type: "boolean" }, port: { type: "string" } }
})
const main = path.join(import.meta.dirname, "..", "..", "dist", "main.js")
const warmRuns = 10
const windows = 4

type Json = Readonly<Record<string, unknown>>

const applicant = {
  ...{ name: "Bench", legalName: "Bench Ltd", contactName: "Ada Obi", contactEmail: "ada@bench.example" },
  ...{ country: "NG", businessType: "retail" }
}

const send = async (url: string, bearer: string | undefined, body: object, headers: object = {}): Promise<Json> => {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...headers
    },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  if (response.status !== 201) throw new BenchFailed({ message: `POST ${url} answered ${response.status}: ${text}` })
  return JSON.parse(text)
}

/** Starts a receiver that returns 500 to the first attempt of each delivery and 200 to later ones. */
const receiver = async (): Promise<{ readonly server: Server; readonly url: string }> => {
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"] ?? request.headers["x-service-delivery"] ?? "")
    request.resume().on("end", () => {
      response.writeHead(seen.has(id) ? 200 : 500).end()
      seen.add(id)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

/** Waits until `n` in the query's first row reaches `least`. Fails after 4,000 queries. */
const until = async (client: pg.Client, sql: string, least: number): Promise<void> => {
  for (let tries = 0; tries < 4000; tries += 1) {
    const { rows } = await client.query<{ n: number }>(sql)
    if ((rows[0]?.n ?? 0) >= least) return
    await pause(5)
  }
  throw new BenchFailed({ message: `Never ${least}: ${sql}` })
}

/** A measured flow. `rooms` matches the directories of its subject. */
interface Flow {
  readonly name: string
  readonly figure: string
  readonly rooms: RegExp
  /** Goal: fewer files than this, excluding those matched by `apart`. The same goal applies to the files in `rooms`. */
  readonly goal: number
  /** Matches the directories of other subjects whose workers run concurrently. Their files do not count. */
  readonly apart?: RegExp
}

/** Matches the directories of the webhook sender, which may poll at any time. */
const sender = /^packages\/(webhooks\/src|postgres\/src\/event)\/delivery\//u

const flows = {
  refund: {
    name: "a refund, POST /v1/refunds",
    figure: "refund",
    goal: 20,
    rooms: /^packages\/(core|http|postgres)\/src\/(refund|payment|ledger|event)\//u,
    apart: sender
  },
  approval: {
    name: "an approval on the page",
    figure: "approval",
    goal: 22,
    rooms: /^packages\/(consent-page\/src|(core|postgres)\/src\/(consent|event))\//u,
    apart: sender
  },
  webhook: {
    name: "a webhook, from its claim to its record",
    figure: "webhook",
    goal: 25,
    rooms: /^packages\/(webhooks\/src|(core|postgres)\/src\/event)\//u,
    apart: /^packages\/(core|postgres)\/src\/(kyc|request)\//u
  }
} satisfies Record<string, Flow>

/** A flow, and the files that ran in every window, except those matched by `apart`. */
interface Measured {
  readonly flow: Flow
  readonly files: ReadonlyArray<string>
}

/**
 * For each run, calls `prepare`, then `request` within a coverage window. Returns the files that ran in every window
 * after the warm-up runs, except those matched by `apart`.
 */
const measure = async <A>(
  flow: Flow,
  coverage: Coverage,
  prepare: (index: number) => Promise<A>,
  request: (prepared: A, index: number) => Promise<unknown>,
  runs = { warm: warmRuns, windows }
): Promise<Measured> => {
  const seen: Array<ReadonlySet<string>> = []
  for (let index = 0; index < runs.warm + runs.windows; index += 1) {
    const prepared = await prepare(index)
    await coverage.take()
    await request(prepared, index)
    const files = await coverage.take()
    if (index >= runs.warm) seen.push(files)
  }
  return { flow, files: inEach(seen).filter((file) => flow.apart?.test(file) !== true) }
}

const measureAll = async (origin: string, coverage: Coverage, client: pg.Client): Promise<ReadonlyArray<Measured>> => {
  const merchant = await send(`${origin}/merchants`, undefined, applicant)
  const key = await send(`${origin}/merchants/${merchant.id}/api-keys`, undefined, { environment: "TEST" })
  const bearer = String(key.secret)
  const keyed = (name: string) => ({ "idempotency-key": name })
  const helper = (name: string, body: object) => send(`${origin}/v1/test-helpers/${name}`, bearer, body)
  const newPerson = async () => {
    const person = { display_name: "Ada Obi", country: "NG", email: "ada@bench.example", phone_verified: true }
    return String((await helper("consumers", person)).serviceId)
  }
  const newPayment = async (index: number) =>
    String(
      (await helper("payments", { service_id: await newPerson(), amount: 25, reference: `order-${index}` }))
        .transactionId
    )
  const refund = (payment: string, name: string) =>
    send(`${origin}/v1/refunds`, bearer, { transaction_id: payment, amount: 10 }, keyed(`refund-${name}`))

  const refunds = await measure(flows.refund, coverage, newPayment, (payment, index) => refund(payment, `${index}`))

  const approvals = await measure(
    flows.approval,
    coverage,
    async (index) => {
      const asked = await send(
        `${origin}/v1/data-requests`,
        bearer,
        { service_id: await newPerson(), requested_fields: ["display_name", "email"], purpose: "To deliver the order" },
        keyed(`ask-${index}`)
      )
      const url = String(asked.consentUrl)
      const page = await fetch(url)
      const html = await page.text()
      const hidden = [...html.matchAll(/<input type="?hidden"? name="([^"]+)" value="([^"]*)"/gu)]
      const cookie = page.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ")
      return { url, cookie, hidden: hidden.map(([, name = "", value = ""]): [string, string] => [name, value]) }
    },
    async ({ cookie, hidden, url }) => {
      const form = new URLSearchParams(hidden)
      form.append("field", "email")
      form.append("decision", "approve")
      const response = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, origin: new URL(url).origin, "content-type": "application/x-www-form-urlencoded" },
        body: form.toString()
      })
      await response.arrayBuffer()
      if (response.status !== 303) throw new BenchFailed({ message: `The page answered ${response.status}` })
    }
  )

  // The first attempt fails on purpose. The window covers the second, which needs no API request.
  const { server, url } = await receiver()
  await send(`${origin}/merchants/${merchant.id}/webhooks`, undefined, { url, topics: ["refund.completed"] })
  let sent = 0
  const attempts = (status: string) => `select count(*)::int as n from surety.delivery where ${status}`
  const webhooks = await measure(
    flows.webhook,
    coverage,
    async (index) => {
      await refund(await newPayment(1000 + index), `hooked-${index}`)
      sent += 1
      await until(client, attempts("attempts >= 1"), sent)
      // The second attempt follows the first after at least 5 s. The pause ends shortly before, so that little else
      // runs in the window.
      await pause(4500)
    },
    () => until(client, attempts("status = 'DELIVERED'"), sent),
    { warm: 1, windows: 3 }
  )
  server.close()
  return [refunds, approvals, webhooks]
}

const countLines = (files: ReadonlyArray<string>): number => files.reduce((sum, file) => sum + linesOf(file), 0)

const reportOf = (version: string, measured: ReadonlyArray<Measured>): BenchReport => {
  const counted = measured.map(({ files, flow }) => {
    const own = files.filter((file) => flow.rooms.test(file))
    return { flow, files: files.length, lines: countLines(files), ownFiles: own.length, ownLines: countLines(own) }
  })
  return {
    versions: { PostgreSQL: version },
    settings: { windows },
    lines: counted.map(({ flow, ...counts }) => ({ flow: flow.name, ...counts })),
    goals: counted.flatMap(({ flow, files, ownFiles }) =>
      [
        { files: ownFiles, of: "files of its rooms" },
        { files, of: "all files" }
      ].map(({ files, of }) => ({
        what: `${flow.name}: ${of}`,
        goal: `fewer than ${flow.goal}`,
        measured: `${files}`,
        isMet: files < flow.goal
      }))
    ),
    figures: Object.fromEntries(
      counted.flatMap(({ flow: { figure }, files, lines, ownFiles, ownLines }) => [
        [`${figure}Files`, files],
        [`${figure}Lines`, lines],
        [`${figure}OwnFiles`, ownFiles],
        [`${figure}OwnLines`, ownLines]
      ])
    ),
    rounds: []
  }
}

const bench = Effect.gen(function* () {
  const database = yield* BenchDatabase.start()
  const url = database.url.surety
  const environment = { DATABASE_URL: url, LOG_LEVEL: "warning", PORT: "0" }
  const server = yield* ServerProcess.start(["--inspect=127.0.0.1:0", main, "serve"], environment)
  const { inspector } = server
  if (inspector === undefined) return yield* new BenchFailed({ message: "The server has no inspector" })
  const measured = yield* Effect.tryPromise({
    try: async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const coverage = await Coverage.open(inspector)
      const found = await measureAll(server.origin, coverage, client)
      coverage.close()
      await client.end()
      return found
    },
    catch: (cause) => new BenchFailed({ message: `Measuring failed: ${cause}` })
  })
  if (values.list === true) {
    for (const { files, flow } of measured) {
      yield* Console.error(
        [flow.name, ...files.map((file) => `${String(linesOf(file)).padStart(5)} ${file}`)].join("\n")
      )
    }
  }
  yield* Console.log(JSON.stringify({ flows: reportOf(database.version, measured) }))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
