import { createServer } from "node:http"
import { parseJson, textOf } from "../../call/readAnswer.js"
import { CommandFailed, visible } from "../Terminal.js"

/** Access to the service's routes that a merchant's key cannot call. */
export interface Platform {
  /**
   * Sends a request, with the operator's token if one is set. Returns the decoded JSON, or `undefined` if the response
   * is not JSON or is too long. Rejects with `CommandFailed` if no complete response arrives or its status is not
   * 2xx.
   */
  readonly send: (method: "POST" | "PATCH" | "DELETE", path: string, body?: object) => Promise<unknown>
  readonly hasToken: boolean
}

const timeoutMillis = 30_000
const longestAnswerBytes = 64 * 1024

export const memberOf = (answer: unknown, name: string): unknown =>
  typeof answer === "object" && answer !== null ? Reflect.get(answer, name) : undefined

/** `token` is `SURETY_OPERATOR_TOKEN` and is sent nowhere else. */
export const platformAt = (baseUrl: string, token: string | undefined): Platform => ({
  hasToken: token !== undefined && token !== "",
  send: async (method, path, body) => {
    const { ok, status, text } = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined || token === "" ? {} : { authorization: `Bearer ${token}` })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMillis)
    })
      .then(async (response) => ({
        ok: response.ok,
        status: response.status,
        text: await textOf(response, longestAnswerBytes)
      }))
      .catch(() => {
        throw new CommandFailed(`${method} ${path}: no complete response arrived`)
      })
    const answer = text === undefined ? undefined : parseJson(text)
    if (ok) return answer
    const [code = "", detail = ""] = ["code", "detail"].map((name) => visible(String(memberOf(answer, name) ?? "")))
    throw new CommandFailed(`${method} ${path}: ${status} ${code}. ${detail}`.trim())
  }
})

export const withGoneReceiver = async <A>(work: (url: string) => Promise<A>): Promise<A> => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(410).end()
  })
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return work(`http://127.0.0.1:${port}/`).finally(() => {
    server.closeAllConnections()
    server.close()
  })
}
