import { Effect } from "effect"
import type { ServerProcess } from "./ServerProcess.js"

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON of the response. Undefined if the body is empty or an HTML page. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
  readonly body: any
}

export interface Sending {
  readonly bearer?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const asJson = (method: string, { bearer, body, headers }: Sending = {}): RequestInit => ({
  method,
  headers: {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...headers
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

/** Reads a response with its body. Throws if the body is neither empty, an HTML page nor JSON. */
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

/** Time limit that only a hanging server exceeds. */
const hungMillis = 90_000

/** Sends a JSON request to a running server. Dies if no readable response arrives within `hungMillis`. */
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

/** Sends a POST that must create a record, and returns the response. Dies unless the status is 201. */
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

/** Creates a merchant with a TEST key, and a TEST consumer linked to it. */
export const merchantWithConsumer = Effect.fnUntraced(function* (server: ServerProcess) {
  const merchant = yield* created(server, "/merchants", { body: applicant })
  const id: string = merchant.body.id
  const issued = yield* created(server, `/merchants/${id}/api-keys`, { body: { environment: "TEST" } })
  const key: string = issued.body.secret
  const consumer = yield* created(server, "/v1/test-helpers/consumers", { bearer: key, body: {} })
  return { id, key, userId: consumer.body.userId as string, serviceId: consumer.body.serviceId as string }
})

export type Merchant = Effect.Success<ReturnType<typeof merchantWithConsumer>>
