/** All invariants, in the order of docs/simulation.md, which explains when each is violated. */
export const invariants = [
  "refunds_within_payment",
  "books_balance",
  "one_refund_per_key",
  "answers_never_change",
  "credited_iff_completed",
  "told_iff_committed",
  "reads_need_grant",
  "not_me_is_final",
  "asking_bounds",
  "own_consents_only",
  "own_records_only",
  "chains_unbroken",
  "receipts_for_all",
  "paid_once",
  "verified_needs_vendor",
  "erased_stays_erased",
  "one_action_a_change",
  "proposals_once",
  "sessions_end",
  "kept_for_its_time",
  "host_requests_once",
  "evidence_stays",
  "one_holder",
  "lifecycle",
  "refusals_are_true",
  "nothing_open_for_ever",
  "no_defects",
  "stores_agree"
] as const

export type Invariant = (typeof invariants)[number]
