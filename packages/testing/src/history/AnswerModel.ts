import type { Model } from "./History.js"

/** `Send`: sends the key's request. `Find`: looks up a record by its id. */
export type AnswerInput = { readonly _tag: "Send" } | { readonly _tag: "Find"; readonly id: string }

export type AnswerOutput =
  /** A 201 response. `answer` is the body, byte for byte. */
  | { readonly _tag: "Made"; readonly id: string; readonly answer: string }
  | { readonly _tag: "InProgress" }
  | { readonly _tag: "Found"; readonly isThere: boolean }

/** State of the key's record. `Untold`: created, but not yet returned by a `Made` response. `Told`: returned by one. */
export type KeyState =
  | { readonly _tag: "Unused" }
  | { readonly _tag: "Untold" }
  | { readonly _tag: "Told"; readonly id: string; readonly answer: string }

/**
 * Model of one idempotency key, always sent with the same request. The key's first successful response never changes.
 * From then on, lookups find its record.
 */
export const answerModel: Model<KeyState, AnswerInput, AnswerOutput> = {
  initial: { _tag: "Unused" },
  after: (state, input, output) => {
    switch (output?._tag) {
      case undefined:
        return input._tag === "Send" && state._tag === "Unused" ? [{ _tag: "Untold" }] : [state]
      case "InProgress":
        return [state]
      case "Made": {
        const { answer, id } = output
        if (state._tag !== "Told") return [{ _tag: "Told", id, answer }]
        return state.id === id && state.answer === answer ? [state] : []
      }
      case "Found": {
        if (input._tag !== "Find") return []
        const isTold = state._tag === "Told" && state.id === input.id
        return output.isThere ? (isTold || state._tag === "Untold" ? [state] : []) : isTold ? [] : [state]
      }
    }
  },
  nameOf: (state) => (state._tag === "Told" ? `${state.id} ${state.answer}` : state._tag),
  isRead: ({ _tag }) => _tag === "Find",
  tell: (input, output) => {
    const asked = input._tag === "Send" ? "sends the key" : `reads ${input.id}`
    switch (output?._tag) {
      case undefined:
        return `${asked} → no answer`
      case "Made":
        return `${asked} → ${output.id}`
      case "InProgress":
        return `${asked} → another call is in flight`
      case "Found":
        return `${asked} → ${output.isThere ? "found" : "not found"}`
    }
  }
}
