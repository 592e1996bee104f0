import type { Reply } from "./send.js"

/** A call's result. `withReply` adds the response's metadata. */
export interface Call<T> extends Promise<T> {
  /** Resolves to the result with its status, request id, number of attempts, replay flag and idempotency key. */
  readonly withReply: () => Promise<Reply<T>>
}

export const callOf = <T>(reply: Promise<Reply<T>>): Call<T> => {
  const data = reply.then((it) => it.data)
  const withReply = (): Promise<Reply<T>> => {
    // A caller of `withReply` receives the failure from `reply`, so `data` must not report it as an unhandled
    // rejection.
    data.catch(() => {})
    return reply
  }
  return Object.assign(data, { withReply })
}
