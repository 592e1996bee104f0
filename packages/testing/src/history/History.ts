/** One call of a client, from its request to its response. */
export interface RecordedCall<I, O> {
  readonly client: string
  readonly input: I
  readonly calledAtMillis: number
  /** Undefined if no response showed the outcome: it may have taken effect at any time since, or never. */
  readonly answered: { readonly atMillis: number; readonly output: O } | undefined
}

/** What clients saw of one shared record, in any order. */
export type History<I, O> = ReadonlyArray<RecordedCall<I, O>>

/** The record's behaviour if operations happen one after another. */
export interface Model<S, I, O> {
  readonly initial: S

  /**
   * The states that the operation may lead to. None if its answer is impossible in this state. Without an answer: the
   * states if it takes effect.
   */
  readonly after: (state: S, input: I, output: O | undefined) => ReadonlyArray<S>

  /** Equal exactly for equal states. */
  readonly nameOf: (state: S) => string

  /** Whether the operation changes nothing in any state. */
  readonly isRead: (input: I) => boolean

  /**
   * Whether the answer is impossible in this state and in every later one. It only shortens the search, and never
   * changes the result.
   */
  readonly rulesOut?: (state: S, input: I, output: O) => boolean

  /** Smaller histories, such as one for each key: if one is not linearizable, neither is the whole. */
  readonly slices?: (history: History<I, O>) => ReadonlyArray<Slice<S, I, O>>

  /** The operation and its answer in a few words. */
  readonly tell: (input: I, output: O | undefined) => string
}

/** A part of a history, and the model for that part. */
export interface Slice<S, I, O> {
  readonly model: Model<S, I, O>
  readonly history: History<I, O>
}

/** Records operations as they happen, by one clock. */
export class HistoryRecorder<I, O> {
  readonly #operations: Array<RecordedCall<I, O>> = []
  readonly #nowMillis: () => number

  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis
  }

  /**
   * Call it before the request is sent. Returns a function to call with the response, or with `undefined` without one.
   */
  begin(client: string, input: I): (output: O | undefined) => void {
    const calledAtMillis = this.#nowMillis()
    return (output) => {
      const answered = output === undefined ? undefined : { atMillis: this.#nowMillis(), output }
      this.#operations.push({ client, input, calledAtMillis, answered })
    }
  }

  get history(): History<I, O> {
    return this.#operations
  }
}
