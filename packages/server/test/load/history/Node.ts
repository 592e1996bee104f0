import { type Answered, readAnswer } from "../../support/Merchant.js"
import type { Request } from "../../support/Requests.js"
import type { ServerProcess } from "../../support/ServerProcess.js"

/**
 * A response. Undefined if none arrived, or if the response leaves the outcome unknown. `NotSent` if the connection was
 * refused.
 */
export type Reply = Answered | "NotSent" | undefined

const isNotSent = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && "code" in error.cause && error.cause.code === "ECONNREFUSED"

/** Sends a request and gives up after `patienceMillis`, as a merchant's program would. */
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
    // A server error may occur before or after the commit, so the outcome is unknown.
    return answer.status >= 500 ? undefined : answer
  } catch (error) {
    return isNotSent(error) ? "NotSent" : undefined
  }
}
