import type { History, Model, RecordedCall, Slice } from "./History.js"
import { linearizability } from "./Linearizability.js"

/**
 * Maximum number of search nodes to visit per candidate history. A candidate that needs more is discarded, because each
 * dropped response may double the search.
 */
const mostVisits = 2_000

/**
 * Shrinks a `NotLinearizable` history for as long as it stays `NotLinearizable`. Keeps only one slice, such as one key,
 * if that slice alone violates its model. Then cuts the history after the earliest response that violates the model,
 * drops reads, and makes other responses unknown. Each step demands less of the service, so a violation in the result
 * is also a violation in the original.
 */
export const shrinkHistory = <S, I, O>(model: Model<S, I, O>, history: History<I, O>): History<I, O> => {
  const violates = (slice: Slice<S, I, O>): boolean =>
    linearizability(slice.model, slice.history, mostVisits) === "NotLinearizable"
  const slice = model.slices?.(history).find(violates)
  return slice === undefined ? shrinkSlice(model, history) : shrinkSlice(slice.model, slice.history)
}

const shrinkSlice = <S, I, O>(model: Model<S, I, O>, history: History<I, O>): History<I, O> => {
  const violates = (candidate: History<I, O>): boolean =>
    linearizability(model, candidate, mostVisits) === "NotLinearizable"

  let best: History<I, O> = shortestPast(history, violates)
  const without = (part: ReadonlySet<RecordedCall<I, O>>): History<I, O> =>
    best.flatMap((operation) => {
      if (!part.has(operation)) return [operation]
      return model.isRead(operation.input) ? [] : [{ ...operation, answered: undefined }]
    })

  let left: ReadonlyArray<RecordedCall<I, O>> = best.filter(({ answered }) => answered !== undefined)
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = left.length - size; start > -size; start -= size) {
      const part = new Set(left.slice(Math.max(0, start), start + size))
      const candidate = without(part)
      if (part.size === 0 || !violates(candidate)) continue
      best = candidate
      left = left.filter((operation) => !part.has(operation))
    }
  }
  return best
}

/**
 * Cuts the history after the earliest response at which it violates the model. Later calls are dropped, and later
 * responses become unknown. Returns the history unchanged if the violation cannot be confirmed within `mostVisits`.
 */
const shortestPast = <I, O>(history: History<I, O>, violates: (candidate: History<I, O>) => boolean): History<I, O> => {
  const until = (atMillis: number): History<I, O> =>
    history
      .filter(({ calledAtMillis }) => calledAtMillis <= atMillis)
      .map((operation) =>
        operation.answered !== undefined && operation.answered.atMillis > atMillis
          ? { ...operation, answered: undefined }
          : operation
      )
  const moments = history
    .flatMap(({ answered }) => (answered === undefined ? [] : [answered.atMillis]))
    .sort((one, other) => one - other)
  let low = 0
  let high = moments.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (violates(until(moments[middle] ?? 0))) high = middle
    else low = middle + 1
  }
  const shortest = until(moments[low] ?? 0)
  return violates(shortest) ? shortest : history
}

/** Maximum number of unanswered calls to print. The rest are only counted. */
const mostUnanswered = 8

/** Formats the history as lines in the order of calls. Calls without a response come last. */
export const linesOfHistory = <S, I, O>({ tell }: Model<S, I, O>, history: History<I, O>): ReadonlyArray<string> => {
  const startedAt = Math.min(...history.map(({ calledAtMillis }) => calledAtMillis))
  const since = (millis: number): string => `${(millis - startedAt).toFixed(1)}`.padStart(9)
  const inOrder = [...history].sort((one, other) => one.calledAtMillis - other.calledAtMillis)
  const unanswered = inOrder.filter(({ answered }) => answered === undefined)
  const untold = unanswered.length - mostUnanswered
  return [
    ...inOrder.flatMap(({ answered, calledAtMillis, client, input }) =>
      answered === undefined
        ? []
        : [`${since(calledAtMillis)} to ${since(answered.atMillis)} ms  ${client}: ${tell(input, answered.output)}`]
    ),
    ...unanswered
      .slice(0, mostUnanswered)
      .map(
        ({ calledAtMillis, client, input }) =>
          `${since(calledAtMillis)} to         … ms  ${client}: ${tell(input, undefined)}`
      ),
    ...(untold > 0 ? [`and ${untold} more calls without an answer`] : [])
  ]
}
