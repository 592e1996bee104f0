import type { DateTime } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { Remains } from "./HeldPerson.js"

/**
 * Records of one kind that remain after an erasure: their count, the reason, and how long they remain. `why` and
 * `until` are worded for the person.
 */
export interface KeptRecords {
  readonly record: keyof Remains
  readonly count: number
  readonly why: string
  readonly until: string
}

export interface Erasure {
  readonly environment: Environment
  /** The erased person's identifier, which is never issued again. */
  readonly serviceId: ConsumerId
  readonly erasedAt: DateTime.Utc
  /** Records that remain under a pseudonym. Kinds without records are omitted. */
  readonly kept: ReadonlyArray<KeptRecords>
}

const forGood = "For as long as the books are kept."
const withTheBooks = "They account for money, so that nothing is paid twice and the books balance."

const reasons: Readonly<Record<keyof Remains, Pick<KeptRecords, "why" | "until">>> = {
  payments: { why: withTheBooks, until: forGood },
  refunds: { why: withTheBooks, until: forGood },
  accounts: { why: withTheBooks, until: forGood },
  receipts: {
    why: "They prove what was allowed and refused, in a chain that breaks if one is missing. They name fields, never values.",
    until: "For as long as the merchant's chain of receipts is kept."
  },
  dataRequests: {
    why: "They say what a merchant asked for, as the receipts do. They have no values.",
    until: "For as long as their receipts."
  },
  grants: {
    why: "They say what was allowed until when, as the receipts do. They have no values.",
    until: "For as long as their receipts."
  },
  reads: {
    why: "They say which merchant read which fields and when, to answer for a breach. They have no values.",
    until: "Until retention takes reads, 730 days after each by default."
  },
  verifications: {
    why: "They prove that a check was ordered, attested and paid for. The number's hash and last characters are gone.",
    until: "For as long as their receipts."
  },
  rightsRequests: {
    why: "They prove that the right was asked for and served in time. What the person wrote is gone.",
    until: "Until retention takes closed requests, which is off by default."
  }
}

const kinds: ReadonlyArray<keyof Remains> = [
  "payments",
  "refunds",
  "accounts",
  "receipts",
  "dataRequests",
  "grants",
  "reads",
  "verifications",
  "rightsRequests"
]

export const keptOf = (remains: Remains): ReadonlyArray<KeptRecords> =>
  kinds.flatMap((record) => {
    const count = remains[record]
    return count === 0 ? [] : [{ record, count, ...reasons[record] }]
  })
