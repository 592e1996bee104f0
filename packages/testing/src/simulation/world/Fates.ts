import type { Draw } from "./Draw.js"

/** The outcome of a call to a port. */
export type Fate =
  | "answered"
  /** Fails before it takes effect. */
  | "refused"
  /** Takes effect, but its response is lost. */
  | "unanswered"
  /** Takes effect and responds late. */
  | "slow"
  /** Takes effect, but never responds. */
  | "silent"
  /** Neither takes effect nor responds. */
  | "unheard"
  /** Takes effect, but its response is invalid. */
  | "garbled"
  /** The calling process dies before the call arrives. */
  | "dies_before"
  /** The calling process dies after the call takes effect. */
  | "dies_after"
  /** Arrives twice, as over a network that duplicates requests. The caller gets only one response. */
  | "twice"

export const fates: ReadonlyArray<Fate> = [
  "answered",
  "refused",
  "unanswered",
  "slow",
  "silent",
  "unheard",
  "garbled",
  "dies_before",
  "dies_after",
  "twice"
]

export const faultyFates: ReadonlyArray<Exclude<Fate, "answered">> = fates.filter((fate) => fate !== "answered")

/**
 * Expected number of calls that draw each fate, per hundred calls to a port whose `Link.frailty` is 1. All other calls
 * draw `answered`.
 */
export type FaultRates = Readonly<Record<Exclude<Fate, "answered">, number>>

export const noFaults: FaultRates = {
  refused: 0,
  unanswered: 0,
  slow: 0,
  silent: 0,
  unheard: 0,
  garbled: 0,
  dies_before: 0,
  dies_after: 0,
  twice: 0
}

/**
 * Draws the fault rates of one story. In one story in five, all rates are 0. In the others, each kind of fault has an
 * even chance of a rate above 0.
 */
export const ratesOf = (draw: Draw): FaultRates => {
  if (draw.chance(0.2)) return noFaults
  const share = draw.pick([0.2, 0.5, 1, 2, 4])
  const drawn = faultyFates.map((fate) => {
    const isDeath = fate === "dies_before" || fate === "dies_after"
    return [fate, draw.chance(0.5) ? share * draw.between(1, 3) * (isDeath ? 0.1 : 1) : 0] as const
  })
  return { ...noFaults, ...Object.fromEntries(drawn) }
}

/**
 * Maximum number of times that a client repeats a call in a trial (`World.isTrial`). Each attempt may fail at a
 * different operation.
 */
export const trialRepeats = 10

export const fateOf = (draw: Draw, rates: FaultRates, frailty: number): Fate => {
  let left = ((draw.next() / 2 ** 32) * 100) / frailty
  for (const fate of faultyFates) {
    left -= rates[fate]
    if (left < 0) return fate
  }
  return "answered"
}
