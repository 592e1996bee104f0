/** One call of a client, from its request to its response. */
export interface RecordedCall<I, O> {
  readonly client: string
  readonly input: I
  readonly calledAtMillis: number
  /** Undefined if the outcome is unknown: the call may have taken effect after its request, or not at all. */
  readonly answered: { readonly atMillis: number; readonly output: O } | undefined
}

/** Client calls on one shared record, in any order. */
export type History<I, O> = ReadonlyArray<RecordedCall<I, O>>

/** Sequential behaviour of a shared record. */
export interface Model<S, I, O> {
  readonly initial: S

  /**
   * Returns the states that the operation may lead to, or none if `output` is impossible in `state`. If `output` is
   * undefined, returns the states that result if the operation takes effect.
   */
  readonly after: (state: S, input: I, output: O | undefined) => ReadonlyArray<S>

  /** Returns a name for a state. The search treats states with the same name as equal. */
  readonly nameOf: (state: S) => string

  /** True if the operation never changes the record, so that `shrinkHistory` may drop it. */
  readonly isRead: (input: I) => boolean

  /**
   * True if the operation can leave a state unchanged but might change a later one. Without this, the search would
   * place the operation too early. Default: never.
   */
  readonly mayChangeLater?: (input: I, output: O) => boolean

  /**
   * True only if the response is impossible in this state and in every later one. Serves only to shorten the search.
   */
  readonly rulesOut?: (state: S, input: I, output: O) => boolean

  /**
   * Splits a history into smaller ones, such as one per key. Every slice of a linearizable history must be
   * linearizable.
   */
  readonly slices?: (history: History<I, O>) => ReadonlyArray<Slice<S, I, O>>

  /** Describes the operation and its response in a few words. */
  readonly tell: (input: I, output: O | undefined) => string
}

/** Part of a history, with the model for that part. */
export interface Slice<S, I, O> {
  readonly model: Model<S, I, O>
  readonly history: History<I, O>
}

/** Records operations as they happen, using one clock. */
export class HistoryRecorder<I, O> {
  readonly #operations: Array<RecordedCall<I, O>> = []
  readonly #nowMillis: () => number

  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis
  }

  /**
   * Begins a call, before its request is sent. To record the call, pass the response to the returned function, or
   * `undefined` if no response showed the outcome.
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
