import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type { Query } from "../Given.js"
import type { RequestEntry } from "../Interface.generated.js"
import { type List, listOf } from "../List.js"

/**
 * Your request log of the last 7 days, for all keys of this environment. An entry contains the matching route's
 * template, if any, but never the path, query or body that you sent.
 */
export interface Requests {
  /**
   * Lists requests, newest first. `status` and `route`, a path template, filter the list.
   *
   * @example
   * for await (const { code, requestId } of client.requests.list({ status: "409" })) console.log(code, requestId)
   */
  readonly list: (query?: Query<"requests.list">, options?: CallOptions) => List<RequestEntry>
}

export const requests = (send: Send): Requests => ({
  list: (query = {}, options) => {
    const read = async (page: Query<"requests.list">) => (await send("requests.list", { query: page }, options)).data
    return listOf(read(query), (cursor) => read({ ...query, cursor }))
  }
})
