import { Effect } from "effect"
import { type Answered, created, type Merchant, type Sending, send } from "./Merchant.js"
import type { ServerProcess } from "./ServerProcess.js"

/** A request that can be sent repeatedly, to any server. */
export interface Request extends Sending {
  readonly method: string
  readonly path: string
}

const keyed = (path: string, { key }: Merchant, once: string, body: object): Request => ({
  method: "POST",
  path,
  bearer: key,
  body,
  headers: { "idempotency-key": once }
})

export const refunding = (merchant: Merchant, transactionId: string, once: string, amount: number): Request =>
  keyed("/v1/refunds", merchant, once, { transaction_id: transactionId, amount })

export const verifying = (merchant: Merchant, once: string): Request =>
  keyed("/v1/kyc/verifications", merchant, once, {
    service_id: merchant.serviceId,
    kind: "bvn",
    id: "22222222222",
    verification_consent: true
  })

export const asking = (merchant: Merchant, once: string): Request =>
  keyed("/v1/data-requests", merchant, once, {
    service_id: merchant.serviceId,
    requested_fields: ["email", "country"],
    purpose: `For ${once}`
  })

export const request = (server: ServerProcess, { method, path, ...sending }: Request): Effect.Effect<Answered> =>
  send(server, method, path, sending)

/** Returns the response, or undefined if no readable one arrives. */
export const requestOrLose = (server: ServerProcess, sent: Request): Effect.Effect<Answered | undefined> =>
  Effect.catchDefect(request(server, sent), () => Effect.undefined)

/** Retries a request while the status is 503, since a statement may time out on a busy machine. */
export const persist = (server: ServerProcess, sent: Request): Effect.Effect<Answered> =>
  Effect.repeat(Effect.delay(request(server, sent), "1 millis"), { until: ({ status }) => status !== 503 })

export const all = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

/** Creates a settled payment by the merchant's consumer, and returns its id. */
export const paid = (server: ServerProcess, { key, serviceId }: Merchant, amount: number) =>
  Effect.map(
    created(server, "/v1/test-helpers/payments", { bearer: key, body: { service_id: serviceId, amount } }),
    ({ body }) => body.transactionId as string
  )

/** Reads every record of a merchant's list, page by page. */
export const listed = Effect.fnUntraced(function* (server: ServerProcess, { key }: Merchant, path: string) {
  const records: Array<Answered["body"]> = []
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? "" : `&cursor=${cursor}`
    const page = yield* send(server, "GET", `${path}?limit=100${query}`, { bearer: key })
    records.push(...page.body.data)
    cursor = page.body.nextCursor
  } while (cursor !== undefined)
  return records
})

/** Counts the responses by status and problem code. A missing response counts as `lost`. */
export const tally = (answers: ReadonlyArray<Answered | undefined>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const answer of answers) {
    const kind = answer === undefined ? "lost" : [answer.status, answer.body?.code].filter(Boolean).join(" ")
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
