import type { History, Model, RecordedCall } from "./History.js"

/** Result of `linearizability`. `Undecided`: the search would exceed `mostVisits` nodes. */
export type Verdict = "Linearizable" | "NotLinearizable" | "Undecided"

const defaultVisits = 200_000

/** A node of the search: the operations placed so far, and the state that they led to. */
interface Place<S> {
  readonly happened: Uint8Array
  readonly openCount: number
  readonly state: S
}

const bitsOf = (happened: Uint8Array): string => String.fromCharCode(...packed(happened))

const packed = (happened: Uint8Array): Uint16Array => {
  const words = new Uint16Array(Math.ceil(happened.length / 16))
  for (let index = 0; index < happened.length; index += 1) {
    if (happened[index] === 1) words[index >> 4] = (words[index >> 4] ?? 0) | (1 << (index & 15))
  }
  return words
}

const inOrderOfCalls = <I, O>(history: History<I, O>): ReadonlyArray<RecordedCall<I, O>> =>
  [...history].sort((one, other) => one.calledAtMillis - other.calledAtMillis)

/**
 * Checks whether the operations can be ordered so that the model accepts them. Each takes effect between its call and
 * its response. An operation without a response takes effect at any time after its call, or never. The search is Wing
 * and Gong's algorithm with Lowe's cache of visited nodes, as in Porcupine and Knossos.
 *
 * An operation whose response is possible without a change of state is placed first, without branching, unless it
 * might change a later state (`mayChangeLater`). Of equal operations without a response, only the earliest
 * is tried. If the model has `rulesOut`, a node is abandoned as soon as an outstanding response has become impossible.
 */
export const linearizability = <S, I, O>(
  model: Model<S, I, O>,
  history: History<I, O>,
  mostVisits: number = defaultVisits
): Verdict => {
  const operations = inOrderOfCalls(history)
  const answeredCount = operations.filter(({ answered }) => answered !== undefined).length
  const inputNames = operations.map(({ input }) => JSON.stringify(input))
  const seen = new Set<string>()
  const start: Place<S> = {
    happened: new Uint8Array(operations.length),
    openCount: answeredCount,
    state: model.initial
  }
  const places: Array<Place<S>> = [start]
  let visits = 0

  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    visits += 1
    if (visits > mostVisits) return "Undecided"
    const { happened, state } = place
    const stateName = model.nameOf(state)
    const candidates = candidatesOf(operations, happened)
    const openCount = place.openCount - settleUnchanging(model, operations, candidates, happened, state, stateName)
    if (openCount === 0) return "Linearizable"
    const name = `${bitsOf(happened)}/${stateName}`
    if (seen.has(name)) continue
    seen.add(name)
    // Operations without a response are pushed first and so tried last, since most histories need few of them.
    const tried = candidatesOf(operations, happened).toSorted(
      (one, other) =>
        Number(operations[one]?.answered !== undefined) - Number(operations[other]?.answered !== undefined)
    )
    const unanswered = new Set<string | undefined>()
    for (const index of tried) {
      const operation = operations[index]
      if (operation === undefined) continue
      if (operation.answered === undefined) {
        if (unanswered.has(inputNames[index])) continue
        unanswered.add(inputNames[index])
      }
      for (const next of model.after(state, operation.input, operation.answered?.output)) {
        if (operation.answered === undefined && model.nameOf(next) === stateName) continue
        const after = Uint8Array.from(happened)
        after[index] = 1
        if (isRuledOut(model, operations, after, next)) continue
        places.push({
          happened: after,
          openCount: openCount - Number(operation.answered !== undefined),
          state: next
        })
      }
    }
  }
  return answeredCount === 0 ? "Linearizable" : "NotLinearizable"
}

/** True if the response of an operation that is not placed yet has become impossible. */
const isRuledOut = <S, I, O>(
  model: Model<S, I, O>,
  operations: ReadonlyArray<RecordedCall<I, O>>,
  happened: Uint8Array,
  state: S
): boolean =>
  model.rulesOut !== undefined &&
  operations.some(
    ({ answered, input }, index) =>
      happened[index] === 0 && answered !== undefined && model.rulesOut?.(state, input, answered.output) === true
  )

/**
 * Returns the indexes of the operations that can be placed next: those not placed yet and called no later than the
 * earliest response among them.
 */
const candidatesOf = <I, O>(
  operations: ReadonlyArray<RecordedCall<I, O>>,
  happened: Uint8Array
): ReadonlyArray<number> => {
  let earliestAnswer = Number.POSITIVE_INFINITY
  const candidates: Array<number> = []
  for (const [index, { answered, calledAtMillis }] of operations.entries()) {
    if (calledAtMillis > earliestAnswer) break
    if (happened[index] === 1) continue
    candidates.push(index)
    if (answered !== undefined) earliestAnswer = Math.min(earliestAnswer, answered.atMillis)
  }
  return candidates.filter((index) => (operations[index]?.calledAtMillis ?? 0) <= earliestAnswer)
}

/**
 * Marks as placed the answered candidates whose responses fit the state and leave it unchanged, except those that might
 * change a later state. Repeats until none remain. Returns the number marked.
 */
const settleUnchanging = <S, I, O>(
  model: Model<S, I, O>,
  operations: ReadonlyArray<RecordedCall<I, O>>,
  first: ReadonlyArray<number>,
  happened: Uint8Array,
  state: S,
  stateName: string
): number => {
  let count = 0
  for (let candidates = first; ; candidates = candidatesOf(operations, happened)) {
    const unchanging = candidates.filter((index) => {
      const operation = operations[index]
      if (operation?.answered === undefined) return false
      if (model.mayChangeLater?.(operation.input, operation.answered.output) === true) return false
      const next = model.after(state, operation.input, operation.answered.output)
      return next.some((one) => model.nameOf(one) === stateName)
    })
    if (unchanging.length === 0) return count
    for (const index of unchanging) happened[index] = 1
    count += unchanging.length
  }
}
