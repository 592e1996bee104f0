/** What of the two is measured. */
export type SystemName = "surety" | "graphile"

/** How events come: as fast as so many at once are committed, or at a steady rate, to each endpoint in turn. */
export type Arrival =
  | { readonly kind: "burst"; readonly count: number; readonly atOnce: number }
  | { readonly kind: "steady"; readonly count: number; readonly perSecond: number }

/** What a sender's process is asked to do. */
export type SenderRequest =
  | { readonly kind: "register"; readonly urls: ReadonlyArray<string> }
  /** Commits events for the endpoints, by their places, and answers when all are recorded as delivered. */
  | { readonly kind: "emit"; readonly endpoints: ReadonlyArray<number>; readonly arrival: Arrival }
  /** Commits events for endpoints that do not answer well, until the process ends; nothing waits for them. */
  | { readonly kind: "disturb"; readonly endpoints: ReadonlyArray<number>; readonly perSecond: number }
  | { readonly kind: "calm" }

/** When an event's commit was answered, in epoch milliseconds with fractions. */
export type Commit = readonly [eventId: string, atMillis: number]

export interface Emitted {
  readonly commits: ReadonlyArray<Commit>
  /** From the first transaction's begin until the last delivery was recorded. */
  readonly seconds: number
}

export type SenderReply = { readonly done: Emitted | undefined } | { readonly failure: string }

/** What the receivers' process is asked for: what came since it was asked last. */
export interface Receipts {
  readonly receipts: ReadonlyArray<Commit>
}

/** The time of day, fine enough to compare two processes of a machine by. */
export const nowMillis = (): number => performance.timeOrigin + performance.now()
