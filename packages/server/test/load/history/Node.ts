import { type Answered, readAnswer } from "../../support/Merchant.js"
import type { Request } from "../../support/Requests.js"
import type { ServerProcess } from "../../support/ServerProcess.js"

/**
 * The response, or nothing if none came or if it leaves the outcome open. `NotSent`: no connection could be opened.
 */
export type Reply = Answered | "NotSent" | undefined

const isNotSent = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && "code" in error.cause && error.cause.code === "ECONNREFUSED"

/** Sends the request as a merchant's program does, which hangs up after `patienceMillis`. */
export const ask = async (
  { url }: Pick<ServerProcess, "url">,
  { bearer, body, headers, method, path }: Request,
  patienceMillis: number
): Promise<Reply> => {
  const sent = fetch(`${url}${path}`, {
    method,
    signal: AbortSignal.timeout(patienceMillis),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  try {
    const answer = await readAnswer(await sent)
    // A failure before or after the commit: the outcome is unknown.
    return answer.status >= 500 ? undefined : answer
  } catch (error) {
    return isNotSent(error) ? "NotSent" : undefined
  }
}
