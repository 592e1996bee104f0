export type SystemName = "surety" | "graphile"

/** How events arrive: as fast as `atOnce` writers commit them, or at a steady rate. The endpoints take turns. */
export type Arrival =
  | { readonly kind: "burst"; readonly count: number; readonly atOnce: number }
  | { readonly kind: "steady"; readonly count: number; readonly perSecond: number }

export type SenderRequest =
  | { readonly kind: "register"; readonly urls: ReadonlyArray<string> }
  /**
   * Commits events for endpoints, given by their indexes in the order of registration. Replies once all events are
   * recorded as delivered.
   */
  | { readonly kind: "emit"; readonly endpoints: ReadonlyArray<number>; readonly arrival: Arrival }
  /** Replies at once, and keeps committing events for endpoints, given as in `emit`, until `calm`. */
  | { readonly kind: "disturb"; readonly endpoints: ReadonlyArray<number>; readonly perSecond: number }
  | { readonly kind: "calm" }

/** An event's id, and the time in fractional epoch milliseconds: when its commit returned, or when it was received. */
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
