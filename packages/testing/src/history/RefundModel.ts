import type { History, Model } from "./History.js"

/**
 * Operations that clients perform on one payment, with amounts in minor units. Amounts must differ between keys,
 * because a listed refund is matched to its key by amount.
 */
export type RefundInput =
  | { readonly _tag: "Refund"; readonly key: string; readonly amountMinor: number }
  | { readonly _tag: "Find"; readonly refundId: string }
  | { readonly _tag: "List" }
  | { readonly _tag: "Total" }

export type RefundOutput =
  /** A 201 response. `answer` is the body, byte for byte. */
  | { readonly _tag: "Made"; readonly refundId: string; readonly answer: string }
  /** The amount exceeds the payment's refundable amount. The response states the total already refunded. */
  | { readonly _tag: "Exceeds"; readonly refundedMinor: number }
  | { readonly _tag: "KeyReused" }
  /** Another call with this key was in progress, so this call had no effect. */
  | { readonly _tag: "InProgress" }
  | { readonly _tag: "Found"; readonly isThere: boolean }
  | {
      readonly _tag: "Listed"
      readonly refunds: ReadonlyArray<{ readonly refundId: string; readonly amountMinor: number }>
    }
  | { readonly _tag: "Refunded"; readonly refundedMinor: number }

interface Made {
  readonly amountMinor: number
  /** Undefined until a response reveals it. */
  readonly refundId: string | undefined
  readonly answer: string | undefined
}

/** Refunds of a payment, by idempotency key. */
export type RefundedPayment = ReadonlyMap<string, Made>

const totalOf = (state: RefundedPayment): number =>
  [...state.values()].reduce((sum, { amountMinor }) => sum + amountMinor, 0)

const isFresh = (state: RefundedPayment, refundId: string): boolean =>
  [...state.values()].every((made) => made.refundId !== refundId)

const withRefund = (state: RefundedPayment, key: string, made: Made): RefundedPayment => new Map(state).set(key, made)

const refunded = (
  paidMinor: number,
  state: RefundedPayment,
  { amountMinor, key }: Extract<RefundInput, { readonly _tag: "Refund" }>,
  output: RefundOutput | undefined
): ReadonlyArray<RefundedPayment> => {
  const made = state.get(key)
  const isRoom = totalOf(state) + amountMinor <= paidMinor
  switch (output?._tag) {
    case undefined:
      return made === undefined && isRoom
        ? [withRefund(state, key, { amountMinor, refundId: undefined, answer: undefined })]
        : [state]
    case "Made": {
      const { answer, refundId } = output
      if (made === undefined ? !isRoom : made.amountMinor !== amountMinor) return []
      if (made?.answer !== undefined && made.answer !== answer) return []
      if (made?.refundId !== undefined ? made.refundId !== refundId : !isFresh(state, refundId)) return []
      return [withRefund(state, key, { amountMinor, refundId, answer })]
    }
    case "Exceeds":
      return made === undefined && !isRoom && output.refundedMinor === totalOf(state) ? [state] : []
    case "KeyReused":
      return made !== undefined && made.amountMinor !== amountMinor ? [state] : []
    case "InProgress":
      return [state]
    default:
      return []
  }
}

/**
 * Returns the state after a listing, or none if the list does not match the state's refunds. The returned state
 * includes the ids that the list reveals.
 */
const listed = (
  state: RefundedPayment,
  { refunds }: Extract<RefundOutput, { readonly _tag: "Listed" }>
): ReadonlyArray<RefundedPayment> => {
  if (refunds.length !== state.size || new Set(refunds.map(({ refundId }) => refundId)).size !== state.size) return []
  const known = new Map(state)
  for (const { amountMinor, refundId } of refunds) {
    const [key, made] = [...state].find(([, one]) => one.amountMinor === amountMinor) ?? []
    if (key === undefined || made === undefined || (made.refundId ?? refundId) !== refundId) return []
    known.set(key, { ...made, refundId })
  }
  return [known]
}

/**
 * True only if the response contradicts this state and every later one. Refunds are never undone, so every later state
 * contains this state's refunds.
 */
const rulesOut = (paidMinor: number, state: RefundedPayment, input: RefundInput, output: RefundOutput): boolean => {
  switch (output._tag) {
    case "Made":
      return input._tag === "Refund" && refunded(paidMinor, state, input, output).length === 0
    case "Exceeds":
      return (input._tag === "Refund" && state.has(input.key)) || output.refundedMinor < totalOf(state)
    case "Refunded":
      return output.refundedMinor < totalOf(state)
    case "Listed": {
      const amounts = new Set(output.refunds.map(({ amountMinor }) => amountMinor))
      return [...state.values()].some(({ amountMinor }) => !amounts.has(amountMinor))
    }
    default:
      return false
  }
}

/**
 * Builds the model of one payment of `paidMinor`. A key's first successful response never changes, and the total of
 * refunds never exceeds the payment.
 */
export const refundModel = (paidMinor: number): Model<RefundedPayment, RefundInput, RefundOutput> => ({
  initial: new Map(),
  after: (state, input, output) => {
    if (input._tag === "Refund") return refunded(paidMinor, state, input, output)
    if (output === undefined) return [state]
    switch (output._tag) {
      case "Found": {
        const { refundId } = { refundId: undefined, ...input }
        // The lookup may find a refund that no response has revealed yet.
        const isKnown = [...state.values()].some((made) => made.refundId === refundId)
        const mayBe = isKnown || [...state.values()].some((made) => made.refundId === undefined)
        return (output.isThere ? mayBe : !isKnown) ? [state] : []
      }
      case "Listed":
        return listed(state, output)
      case "Refunded":
        return output.refundedMinor === totalOf(state) ? [state] : []
      default:
        return []
    }
  },
  nameOf: (state) =>
    [...state]
      .map(([key, { amountMinor, answer, refundId }]) =>
        [key, amountMinor, refundId ?? "?", answer !== undefined].join()
      )
      .sort()
      .join("; "),
  rulesOut: (state, input, output) => rulesOut(paidMinor, state, input, output),
  slices: (history) =>
    keysOf(history).map((key) => ({ model: refundModel(Number.POSITIVE_INFINITY), history: ofKey(history, key) })),
  isRead: ({ _tag }) => _tag !== "Refund",
  tell: (input, output) => `${asked(input)} → ${output === undefined ? "no answer" : told(output)}`
})

const keysOf = (history: History<RefundInput, RefundOutput>): ReadonlyArray<string> => [
  ...new Set(history.flatMap(({ input }) => (input._tag === "Refund" ? [input.key] : [])))
]

/** Selects one key's operations: lookups of its refund, and its refund calls except those refused with `Exceeds`. */
const ofKey = (history: History<RefundInput, RefundOutput>, key: string): History<RefundInput, RefundOutput> => {
  const ids = new Set(
    history.flatMap(({ answered, input }) =>
      input._tag === "Refund" && input.key === key && answered?.output._tag === "Made" ? [answered.output.refundId] : []
    )
  )
  return history.filter(({ answered, input }) =>
    input._tag === "Refund"
      ? input.key === key && answered?.output._tag !== "Exceeds"
      : input._tag === "Find" && ids.has(input.refundId)
  )
}

const asked = (input: RefundInput): string => {
  switch (input._tag) {
    case "Refund":
      return `refunds ${input.amountMinor} by ${input.key}`
    case "Find":
      return `reads ${input.refundId}`
    case "List":
      return "lists the refunds"
    case "Total":
      return "reads the payment"
  }
}

const told = (output: RefundOutput): string => {
  switch (output._tag) {
    case "Made":
      return output.refundId
    case "Exceeds":
      return `too much: ${output.refundedMinor} refunded`
    case "KeyReused":
      return "the key is used"
    case "InProgress":
      return "another call is in flight"
    case "Found":
      return output.isThere ? "found" : "not found"
    case "Listed":
      return output.refunds.map(({ amountMinor, refundId }) => `${refundId} of ${amountMinor}`).join(", ") || "none"
    case "Refunded":
      return `${output.refundedMinor} refunded`
  }
}
