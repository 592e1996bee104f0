import { Effect } from "effect"
import { Digest } from "effect/crypto"
import type { Receipt, ReceiptDraft } from "../../consent/receipt/Receipt.js"
import * as ReceiptChain from "../../consent/receipt/ReceiptChain.js"
import type { DeliverySignal } from "../../event/DeliverySignal.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { requireThat } from "../ConstraintViolated.js"
import { append, checkEvent, notifyOf } from "../event/MemoryOutbox.js"
import { type MemoryState, scopedKey } from "../MemoryState.js"

type State = MemoryState["Service"]

/** A decision, and what there is to store if it stands. */
export interface Attempt<D> {
  readonly decision: D
  readonly changes: ConsentChanges | undefined
}

/** What a consent's plan changes beside the records that `write` stores. */
export interface ConsentChanges {
  readonly receipt: ReceiptDraft | undefined
  /** Events, and the id of the record that each tells of. */
  readonly events: ReadonlyArray<{ readonly event: DomainEvent; readonly cause: string }>
  /** Throws unless `write` may follow. */
  readonly check: () => void
  readonly write: () => void
}

/** Where the chain of the merchant and environment ends. */
export const chainEndOf = (state: State, scope: MerchantScope): ReceiptChain.ChainHead =>
  state.receiptChains.get(scopedKey(scope, "")) ?? ReceiptChain.genesis

/** Stores everything in one step; answers how many deliveries that made. */
const store = (state: State, { check, events, write }: ConsentChanges, receipt: Receipt | undefined): number => {
  check()
  const ids = new Set(events.map(({ event }) => event.id))
  requireThat(ids.size === events.length, "a plan's events have ids of their own", [...ids].join(" "))
  for (const { event } of events) checkEvent(state, event)
  if (receipt !== undefined) {
    requireThat(!state.receipts.has(receipt.id), "a receipt's id is new", receipt.id)
    state.receipts.set(receipt.id, receipt)
    state.receiptChains.set(scopedKey(receipt, ""), ReceiptChain.headAt(receipt))
  }
  write()
  return events.reduce((deliveries, { cause, event }) => deliveries + append(state, event, cause), 0)
}

/**
 * Attempts, and commits what was decided. A digest may take its time, so a receipt is hashed first; then everything is
 * read and decided anew, and stored in that same step if the receipt still is the one that follows.
 */
export const commit = Effect.fnUntraced(function* <D>(
  state: State,
  digest: Digest.Digest["Service"],
  signal: DeliverySignal["Service"],
  attempt: () => Attempt<D>
) {
  let hashed: Receipt | undefined
  while (true) {
    const { changes, decision } = attempt()
    if (changes === undefined) return decision
    const { receipt: draft } = changes
    const end = draft && chainEndOf(state, draft)
    if (draft === undefined || (hashed?.previousHash === end?.hash && hashed?.body === draft.body)) {
      yield* notifyOf(signal, store(state, changes, draft && hashed))
      return decision
    }
    hashed = yield* Effect.provideService(
      ReceiptChain.append(end ?? ReceiptChain.genesis, draft),
      Digest.Digest,
      digest
    )
  }
})
