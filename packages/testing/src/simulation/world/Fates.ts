import type { Draw } from "./Draw.js"

/** The outcome of a call to a port. */
export type Fate =
  | "answered"
  /** Fails before it acts. */
  | "refused"
  /** Acts, and its answer is lost. */
  | "unanswered"
  /** Acts and answers, long after. */
  | "slow"
  /** Acts, and never answers. */
  | "silent"
  /** Neither acts nor answers. */
  | "unheard"
  /** Acts, and returns an invalid value. */
  | "garbled"
  /** The caller's process dies as it calls. */
  | "dies_before"
  /** The caller's process dies once the port has acted. */
  | "dies_after"
  /** Is called twice, as by a network that loses a response and repeats the request. The first response counts. */
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

/** The fates of a failing way. */
export const faultyFates: ReadonlyArray<Exclude<Fate, "answered">> = fates.filter((fate) => fate !== "answered")

/** How often each fate is drawn per hundred calls. The other calls succeed. */
export type FaultRates = Readonly<Record<Exclude<Fate, "answered">, number>>

/** Every call is answered. */
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

/** The faults of one story: in some none, in most a few kinds, each with its own frequency. */
export const ratesOf = (draw: Draw): FaultRates => {
  if (draw.chance(0.2)) return noFaults
  const share = draw.pick([0.2, 0.5, 1, 2, 4])
  const drawn = faultyFates.map((fate) => {
    const isDeath = fate === "dies_before" || fate === "dies_after"
    return [fate, draw.chance(0.5) ? share * draw.between(1, 3) * (isDeath ? 0.1 : 1) : 0] as const
  })
  return { ...noFaults, ...Object.fromEntries(drawn) }
}

/** The fate of one call. `frailty` multiplies the rates. */
export const fateOf = (draw: Draw, rates: FaultRates, frailty: number): Fate => {
  let left = ((draw.next() / 2 ** 32) * 100) / frailty
  for (const fate of faultyFates) {
    left -= rates[fate]
    if (left < 0) return fate
  }
  return "answered"
}
