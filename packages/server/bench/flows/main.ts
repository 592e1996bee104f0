// node packages/server/bench/flows/main.ts [--list]
//
// Counts the source files, and their lines, of which a function runs for one request of a warm server on PostgreSQL, by V8's
// coverage. What runs in each of several windows counts: what ran in one alone was the server's own work. `--list` names them.
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import pg from "pg"
import * as BenchDatabase from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
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

/** A receiver whose first answer to each delivery is 500, and whose later ones are 200. */
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

/** Waits until the query's first row has `n` of at least this. */
const until = async (client: pg.Client, sql: string, least: number): Promise<void> => {
  for (let tries = 0; tries < 4000; tries += 1) {
    const { rows } = await client.query<{ n: number }>(sql)
    if ((rows[0]?.n ?? 0) >= least) return
    await pause(5)
  }
  throw new BenchFailed({ message: `Never ${least}: ${sql}` })
}

interface Flow {
  readonly name: string
  readonly files: ReadonlyArray<string>
}

/** Runs `prepare` and then, in a window, `request`. */
const measure = async <A>(
  name: string,
  coverage: Coverage,
  prepare: (index: number) => Promise<A>,
  request: (prepared: A, index: number) => Promise<unknown>,
  runs = { warm: warmRuns, windows }
): Promise<Flow> => {
  const seen: Array<ReadonlySet<string>> = []
  for (let index = 0; index < runs.warm + runs.windows; index += 1) {
    const prepared = await prepare(index)
    await coverage.take()
    await request(prepared, index)
    const files = await coverage.take()
    if (index >= runs.warm) seen.push(files)
  }
  return { name, files: inEach(seen) }
}

const measureAll = async (origin: string, coverage: Coverage, client: pg.Client): Promise<ReadonlyArray<Flow>> => {
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

  const refunds = await measure("a refund, `POST /v1/refunds`", coverage, newPayment, (payment, index) =>
    refund(payment, `${index}`)
  )

  const approvals = await measure(
    "an approval on the page",
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
      return { url, cookie, html, hidden: hidden.map(([, name = "", value = ""]): [string, string] => [name, value]) }
    },
    async ({ cookie, hidden, html, url }) => {
      const form = new URLSearchParams(hidden)
      form.append("field", "email")
      form.append("decision", "approve")
      const response = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, origin: new URL(url).origin, "content-type": "application/x-www-form-urlencoded" },
        body: form.toString()
      })
      const text = await response.text()
      if (response.status !== 303) throw new BenchFailed({ message: `${response.status} ${text}\n${html}` })
    }
  )

  const { server, url } = await receiver()
  await send(`${origin}/merchants/${merchant.id}/webhooks`, undefined, { url, topics: ["refund.completed"] })
  let sent = 0
  const attempts = (status: string) => `select count(*)::int as n from surety.delivery where ${status}`
  const webhooks = await measure(
    "a webhook",
    coverage,
    async (index) => {
      await refund(await newPayment(1000 + index), `hooked-${index}`)
      sent += 1
      await until(client, attempts("attempts >= 1"), sent)
      await pause(4500)
    },
    () => until(client, attempts("status = 'DELIVERED'"), sent),
    { warm: 1, windows: 3 }
  )
  server.close()
  return [refunds, approvals, webhooks]
}

const bench = Effect.gen(function* () {
  const database = yield* BenchDatabase.start()
  const url = database.url.surety
  const port = "0"
  const environment = { DATABASE_URL: url, LOG_LEVEL: "warning", PORT: port }
  const server = yield* ServerProcess.start(["--inspect=127.0.0.1:0", main, "serve"], environment)
  const flows = yield* Effect.tryPromise({
    try: async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const coverage = await Coverage.open(server.inspector)
      const found = await measureAll(server.origin, coverage, client)
      coverage.close()
      await client.end()
      return found
    },
    catch: (cause) => new BenchFailed({ message: `Measuring failed: ${cause}` })
  })
  for (const { files, name } of flows) {
    const lines = files.reduce((sum, file) => sum + linesOf(file), 0)
    console.log(`| ${name} | ${files.length}, ${lines.toLocaleString("en")} |`)
    if (values.list === true) for (const file of files) console.log(`  ${linesOf(file)} ${file}`)
  }
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
