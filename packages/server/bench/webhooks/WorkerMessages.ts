export type SystemName = "surety" | "graphile"

/**
 * How events arrive: as fast as `atOnce` concurrent writers can commit them, or at a steady rate. Events go to the
 * endpoints in turn.
 */
export type Arrival =
  | { readonly kind: "burst"; readonly count: number; readonly atOnce: number }
  | { readonly kind: "steady"; readonly count: number; readonly perSecond: number }

export type SenderRequest =
  | { readonly kind: "register"; readonly urls: ReadonlyArray<string> }
  /**
   * Commits events for endpoints, each given by its index in the order of registration. Replies once all events are
   * recorded as delivered.
   */
  | { readonly kind: "emit"; readonly endpoints: ReadonlyArray<number>; readonly arrival: Arrival }
  /** Replies immediately, and keeps committing events until `calm`. Endpoints are given as in `emit`. */
  | { readonly kind: "disturb"; readonly endpoints: ReadonlyArray<number>; readonly perSecond: number }
  | { readonly kind: "calm" }

/** An event's id, and the time when its commit returned or it was received, in fractional epoch milliseconds. */
export type Commit = readonly [eventId: string, atMillis: number]

export interface Emitted {
  readonly commits: ReadonlyArray<Commit>
  /** Time from the first transaction to the last recorded delivery. */
  readonly seconds: number
}

export type SenderReply = { readonly done: Emitted | undefined } | { readonly failure: string }

/** Receipts since the previous `receipts` message. */
export interface Receipts {
  readonly receipts: ReadonlyArray<Commit>
}

/** Returns the wall-clock time, precise enough to compare two processes on one machine. */
export const nowMillis = (): number => performance.timeOrigin + performance.now()
