import { Effect } from "effect"
import type { Sending } from "../Merchant.js"
import type { Run, Send, Spoken } from "./Speaker.js"

type Fields = Readonly<Record<string, unknown>>

const mapFields = (body: unknown, change: (value: unknown) => unknown): unknown =>
  typeof body === "object" && body !== null
    ? Object.fromEntries(Object.entries(body as Fields).map(([name, value]) => [name, change(value)]))
    : body

const onTexts =
  (change: (text: string) => unknown) =>
  (value: unknown): unknown =>
    typeof value === "string" ? change(value) : mapFields(value, onTexts(change))

/** Ways to make a body invalid while keeping its values. */
const misshapen: ReadonlyArray<(body: unknown) => unknown> = [
  (body) => mapFields(body, (value) => [value]),
  (body) => mapFields(body, (value) => ({ value })),
  (body) =>
    mapFields(
      body,
      onTexts((text) => `${text}\u0000`)
    ),
  (body) =>
    mapFields(
      body,
      onTexts((text) => text.repeat(200))
    ),
  (body) =>
    mapFields(
      body,
      onTexts((text) => (Number.isNaN(Number(text)) ? text : Number(text)))
    ),
  (body) => ({ body }),
  (body) => [body],
  (body) => JSON.stringify(body)
]

/** Returns the invalid forms of a body. Omits changes without effect, which would leave the body valid. */
const changes = (body: unknown): ReadonlyArray<unknown> =>
  misshapen.map((change) => change(body)).filter((changed) => JSON.stringify(changed) !== JSON.stringify(body))

const wrongly = ({ bearer, body, headers }: Sending): ReadonlyArray<Sending> => {
  const keyed = { ...(bearer === undefined ? {} : { bearer }), ...(headers === undefined ? {} : { headers }) }
  return [
    ...(body === undefined ? [] : changes(body).map((changed) => ({ ...keyed, body: changed }))),
    ...(body === undefined ? [] : [{ ...keyed, body, headers: { ...headers, "content-type": "text/plain" } }]),
    ...(bearer === undefined ? [] : [{ ...keyed, bearer: `${bearer}x`, ...(body === undefined ? {} : { body }) }])
  ]
}

/**
 * Keeps the last request for each combination of method, path and credential. Ignores ids such as `merchant_…` in the
 * path.
 */
const distinct = (spoken: ReadonlyArray<Spoken>): ReadonlyArray<Spoken> => [
  ...new Map(
    spoken.map((one) => [`${one.method} ${one.path.replace(/_[0-9a-z]{26}/g, "")} ${one.sending.bearer}`, one])
  ).values()
]

/** Repeats each distinct request unchanged, and returns the new responses. */
export const again = (run: Run, send: Send) =>
  Effect.forEach(distinct(run.spoken), (one) =>
    Effect.map(send(one.method, one.path, one.sending), (answer): Spoken => ({ ...one, answer }))
  )

/**
 * Repeats each distinct request incorrectly: with malformed bodies, the wrong content type and a wrong key. Also
 * repeats each `GET` below `/v1` with the stranger's key.
 */
export const abused = (run: Run, send: Send) =>
  Effect.map(
    Effect.forEach(distinct(run.spoken), (one) =>
      Effect.gen(function* () {
        const answers: Array<Spoken> = []
        for (const sending of wrongly(one.sending)) {
          answers.push({ ...one, sending, answer: yield* send(one.method, one.path, sending) })
        }
        const isMerchants = one.path.startsWith("/v1/") && one.method === "GET"
        if (isMerchants) {
          const sending = { ...one.sending, bearer: run.strangerKey }
          answers.push({ ...one, party: "stranger", sending, answer: yield* send(one.method, one.path, sending) })
        }
        return answers
      })
    ),
    (answers) => answers.flat()
  )
