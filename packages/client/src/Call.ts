import type { Reply } from "./send.js"

/** A call's answer; with `withReply`, also how it came about. */
export interface Call<T> extends Promise<T> {
  /** The answer with its status, request id, number of attempts, and whether it had been given before. */
  readonly withReply: () => Promise<Reply<T>>
}

export const callOf = <T>(reply: Promise<Reply<T>>): Call<T> => {
  const data = reply.then((it) => it.data)
  const withReply = (): Promise<Reply<T>> => {
    // Whoever asks for the reply sees its failure there, not here a second time.
    data.catch(() => {})
    return reply
  }
  return Object.assign(data, { withReply })
}
