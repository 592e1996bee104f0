import { Effect } from "effect"
import { Digest } from "effect/crypto"
import type { Receipt, ReceiptDraft } from "../../consent/receipt/Receipt.js"
import * as ReceiptChain from "../../consent/receipt/ReceiptChain.js"
import type { DeliverySignal } from "../../event/DeliverySignal.js"
import type { OutboxEvent } from "../../event/PlatformEvent.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { requireThat } from "../ConstraintViolated.js"
import { append, checkEvent, notifyOf } from "../event/MemoryOutbox.js"
import { type MemoryState, scopedKey } from "../MemoryState.js"

type State = MemoryState["Service"]

export interface CommitAttempt<D> {
  readonly decision: D
  readonly changes: ConsentChanges | undefined
}

/** The changes of a plan. `write` stores the plan's records, except the receipt and the events. */
export interface ConsentChanges {
  readonly receipt: ReceiptDraft | undefined
  /** Events, each with the id of the record that caused it. */
  readonly events: ReadonlyArray<{ readonly event: OutboxEvent; readonly cause: string }>
  /** Throws if `write` would violate a constraint. */
  readonly check: () => void
  readonly write: () => void
}

export const chainEndOf = (state: State, scope: MerchantScope): ReceiptChain.ChainHead =>
  state.receiptChains.get(scopedKey(scope, "")) ?? ReceiptChain.genesis

/** Stores the changes and the receipt in one step. Returns the number of deliveries created. */
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
 * Decides with `attempt` and commits its changes, if any. Changes without a receipt are stored immediately. A receipt
 * is hashed first, possibly asynchronously, so `attempt` reads and decides again in the same step as the write. The
 * changes are stored if the hashed receipt is unchanged and still comes next in its chain. Otherwise, hashing and
 * deciding are repeated.
 */
export const commit = Effect.fnUntraced(function* <D>(
  state: State,
  digest: Digest.Digest["Service"],
  signal: DeliverySignal["Service"],
  attempt: () => CommitAttempt<D>
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
