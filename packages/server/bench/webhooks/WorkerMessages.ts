export type SystemName = "surety" | "graphile"

/** How events arrive: as fast as `atOnce` writers commit them, or at a steady rate, to each endpoint in turn. */
export type Arrival =
  | { readonly kind: "burst"; readonly count: number; readonly atOnce: number }
  | { readonly kind: "steady"; readonly count: number; readonly perSecond: number }

export type SenderRequest =
  | { readonly kind: "register"; readonly urls: ReadonlyArray<string> }
  /** Commits events for endpoints, by index, and replies when all are recorded as delivered. */
  | { readonly kind: "emit"; readonly endpoints: ReadonlyArray<number>; readonly arrival: Arrival }
  /** Commits events for the bad endpoints until `calm`. Nothing waits for them. */
  | { readonly kind: "disturb"; readonly endpoints: ReadonlyArray<number>; readonly perSecond: number }
  | { readonly kind: "calm" }

/** When an event's commit returned, in fractional epoch milliseconds. */
export type Commit = readonly [eventId: string, atMillis: number]

export interface Emitted {
  readonly commits: ReadonlyArray<Commit>
  /** From the first transaction to the last recorded delivery. */
  readonly seconds: number
}

export type SenderReply = { readonly done: Emitted | undefined } | { readonly failure: string }

/** The receipts since the last request. */
export interface Receipts {
  readonly receipts: ReadonlyArray<Commit>
}

/** Wall-clock time, precise enough to compare two processes of one machine. */
export const nowMillis = (): number => performance.timeOrigin + performance.now()
