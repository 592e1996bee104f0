// The platform's side of Surety's hooks, in plain Node: wallet, people's records, messages to people, and events.
//
//   HOOK_SECRET=whsec_… PLATFORM_DB=platform.db PORT=4100 node src/platform.ts
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import { DatabaseSync } from "node:sqlite"

const key = Buffer.from((process.env.HOOK_SECRET ?? "").replace(/^whsec_/, ""), "base64")
if (key.length < 24) throw new Error("Set HOOK_SECRET to whsec_ and at least 24 bytes in base64.")

const database = new DatabaseSync(process.env.PLATFORM_DB ?? "platform.db")
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table if not exists person (external_id text primary key, display_name text, city text, frozen integer);
  create table if not exists credit (refund_id text primary key, outcome text, user_id text, currency text, minor integer);
  create table if not exists event (id text primary key, merchant_id text, topic text, body text);
`)
const findPerson = database.prepare("select display_name, city, frozen from person where external_id = ?")
const findCredit = database.prepare("select outcome from credit where refund_id = ?")
// Commit any other writes of your wallet together with this row, so that a repeated call credits nothing.
const addCredit = database.prepare("insert into credit values (?, ?, ?, ?, ?) on conflict do nothing")
const addEvent = database.prepare("insert into event values (?, ?, ?, ?) on conflict do nothing")

/** Returns true if Surety signed exactly these bytes, with a timestamp within 300 seconds of now. */
const isGenuine = (headers: IncomingHttpHeaders, body: Buffer): boolean => {
  const { "webhook-id": id, "webhook-signature": signatures, "webhook-timestamp": timestamp } = headers
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest()
  const isSigned = String(signatures)
    .split(" ")
    .map((signature) => Buffer.from(signature.replace(/^v1,/, ""), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
  return isSigned && Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
}

type Texts = "refundId" | "userId" | "externalId" | "amountMinor" | "currency" | "consentUrl"
type Call = Partial<Record<Texts, string>> & { test?: true; fields?: ReadonlyArray<string> }

const lookup = ({ refundId = "" }: Call) => {
  const status = findCredit.get(refundId)?.outcome ?? "UNKNOWN"
  return status === "DECLINED" ? { status, reason: "The wallet is frozen." } : { status }
}

/**
 * Credits a refund, or declines it if the wallet is frozen. Repeated calls for a refund id return the first outcome.
 * Test calls are declined.
 */
const credit = (call: Call) => {
  const { amountMinor = "", currency = "", externalId = "", refundId = "", test, userId = "" } = call
  if (test) return { status: "DECLINED", reason: "A test call moves no money." }
  const outcome = findPerson.get(externalId)?.frozen === 1 ? "DECLINED" : "CREDITED"
  addCredit.run(refundId, outcome, userId, currency, BigInt(amountMinor))
  return lookup(call)
}

const directory = ({ externalId = "", fields = [] }: Call) => {
  const person = findPerson.get(externalId) ?? {}
  const known = fields.filter((field) => person[field] !== undefined && field !== "frozen")
  return { fields: Object.fromEntries(known.map((field) => [field, person[field]])) }
}

const consent = ({ consentUrl, test, userId }: Call) => {
  if (!test) console.log(`tell ${userId} to decide at ${consentUrl}`)
  return {}
}

/** Stores an event once: Surety may send it again under the same id, for example after a crash. Ignores test calls. */
const event = ({ test, ...payload }: Call, headers: IncomingHttpHeaders) => {
  const { "webhook-id": id = "", "x-service-event": topic = "", "x-service-merchant": merchant = "" } = headers
  if (!test) addEvent.run(String(id), String(merchant), String(topic), JSON.stringify(payload))
  return {}
}

const routes = new Map(
  Object.entries({
    "/wallet": credit,
    "/wallet/lookup": lookup,
    "/directory": directory,
    "/consent": consent,
    "/events": event
  })
)

const answer = async (request: IncomingMessage): Promise<readonly [status: number, body: object]> => {
  const body = Buffer.concat(await request.toArray())
  if (!isGenuine(request.headers, body)) return [401, {}]
  const route = routes.get(request.url ?? "")
  return route === undefined ? [404, {}] : [200, route(JSON.parse(body.toString()), request.headers)]
}

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request).catch(() => [500, {}] as const)
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
})
server.listen(Number(process.env.PORT ?? 4100), "127.0.0.1", () => {
  const address = server.address()
  console.log(`platform listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close())
