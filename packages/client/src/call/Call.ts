import type { Reply } from "./send.js"

/** A call's result; `withReply` adds the response's metadata. */
export interface Call<T> extends Promise<T> {
  /** The result with its status, request id, number of attempts, and whether it is a replay. */
  readonly withReply: () => Promise<Reply<T>>
}

export const callOf = <T>(reply: Promise<Reply<T>>): Call<T> => {
  const data = reply.then((it) => it.data)
  const withReply = (): Promise<Reply<T>> => {
    // A caller of `withReply` gets the failure there; do not report it here too.
    data.catch(() => {})
    return reply
  }
  return Object.assign(data, { withReply })
}
