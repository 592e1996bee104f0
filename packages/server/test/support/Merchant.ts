import { Effect } from "effect"
import type { ServerProcess } from "./ServerProcess.js"

/** An answer with its body read. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The response's parsed JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into any response
  readonly body: any
}

export interface Sending {
  readonly bearer?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A request as JSON, as `fetch` and `Request` take it. */
export const asJson = (method: string, { bearer, body, headers }: Sending = {}): RequestInit => ({
  method,
  headers: {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...headers
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

/** An answer, read whole. */
export const readAnswer = async (response: Response): Promise<Answered> => {
  const text = await response.text()
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === "" || isPage ? undefined : JSON.parse(text)
  }
}

/** A limit that a server exceeds only if it hangs, at any load. */
const hungMillis = 90_000

/** Sends a request to a running server, as JSON. Dies if there is no answer. */
export const send = (
  { url }: ServerProcess,
  method: string,
  path: string,
  sending: Sending = {}
): Effect.Effect<Answered> =>
  Effect.promise(async () => {
    try {
      return await readAnswer(
        await fetch(`${url}${path}`, { ...asJson(method, sending), signal: AbortSignal.timeout(hungMillis) })
      )
    } catch (error) {
      throw new Error(`${method} ${path} had no answer`, { cause: error })
    }
  })

/** The answer of a request that has to create a record. */
export const created = (server: ServerProcess, path: string, sending: Sending = {}): Effect.Effect<Answered> =>
  Effect.tap(send(server, "POST", path, sending), ({ status, text }) =>
    status === 201 ? Effect.void : Effect.die(new Error(`POST ${path} answered ${status} ${text}`))
  )

export const applicant = {
  name: "Corner Shop",
  legalName: "Corner Shop Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@corner.example",
  country: "Nigeria",
  businessType: "retail"
}

/** A merchant with a TEST key, and a consumer whom it may name. */
export const merchantWithConsumer = Effect.fnUntraced(function* (server: ServerProcess) {
  const merchant = yield* created(server, "/merchants", { body: applicant })
  const id: string = merchant.body.id
  const issued = yield* created(server, `/merchants/${id}/api-keys`, { body: { environment: "TEST" } })
  const key: string = issued.body.secret
  const consumer = yield* created(server, "/v1/test-helpers/consumers", { bearer: key, body: {} })
  return { id, key, userId: consumer.body.userId as string, serviceId: consumer.body.serviceId as string }
})

export type Merchant = Effect.Success<ReturnType<typeof merchantWithConsumer>>
