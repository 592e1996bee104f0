import { Effect, Option, Schema } from "effect"
import { Digest } from "effect/crypto"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { type Receipt, ReceiptBody, type ReceiptDraft, ReceiptHash } from "./Receipt.js"

/** The end of a chain or chain prefix: sequence and hash of its last receipt. */
export interface ChainHead {
  readonly sequence: number
  readonly hash: ReceiptHash
}

/** The start of every chain, before its first receipt. */
export const genesis: ChainHead = { sequence: 0, hash: ReceiptHash.make("0".repeat(64)) }

/**
 * A fault in a chain. `sequence` is the position of the faulty or unreadable receipt, or of the missing end. A gap is
 * reported at the first receipt after it.
 */
export interface ChainFault {
  readonly sequence: number
  readonly reason: /** Receipts are missing, repeated, or in another order. */
    | "out_of_sequence"
    /** The receipt's `previousHash` is not the hash of the receipt before it. */
    | "previous_hash_differs"
    /** The receipt's `hash` is not the hash of its previous hash and body. */
    | "content_differs"
    /** The receipt or its body belongs to another chain, or the body is invalid or has another receipt's id. */
    | "not_of_this_chain"
    /** The chain does not include its last known receipt. */
    | "end_missing"
    /** The store has no readable receipt at this position. */
    | "unreadable"
}

const hashOf = Effect.fnUntraced(function* (previousHash: ReceiptHash, body: string) {
  const digest = yield* Digest.Digest
  return ReceiptHash.make(yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(previousHash + body)))
})

/** Turns the draft into the next receipt after `head`. */
export const append = Effect.fnUntraced(function* (head: ChainHead, draft: ReceiptDraft) {
  const receipt: Receipt = {
    ...draft,
    sequence: head.sequence + 1,
    previousHash: head.hash,
    hash: yield* hashOf(head.hash, draft.body)
  }
  return receipt
})

/** Returns the end of the chain up to this receipt. */
export const headAt = ({ hash, sequence }: Receipt): ChainHead => ({ hash, sequence })

const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(ReceiptBody))

const isOfChain = (scope: MerchantScope, receipt: Receipt): boolean =>
  Option.exists(
    decodeBody(receipt.body),
    ({ controller, environment, receiptId }) =>
      receipt.merchantId === scope.merchantId &&
      receipt.environment === scope.environment &&
      controller.merchantId === scope.merchantId &&
      environment === scope.environment &&
      receiptId === receipt.id
  )

const faultOf = Effect.fnUntraced(function* (scope: MerchantScope, before: ChainHead, receipt: Receipt) {
  const at = (reason: ChainFault["reason"]): ChainFault => ({ sequence: receipt.sequence, reason })
  if (receipt.sequence !== before.sequence + 1) return at("out_of_sequence")
  if (receipt.previousHash !== before.hash) return at("previous_hash_differs")
  if (receipt.hash !== (yield* hashOf(receipt.previousHash, receipt.body))) return at("content_differs")
  return isOfChain(scope, receipt) ? undefined : at("not_of_this_chain")
})

/** Progress in checking a chain: the last receipt checked and the faults found so far. */
export interface Followed {
  readonly head: ChainHead
  readonly faults: ReadonlyArray<ChainFault>
}

/** Progress before the first receipt is checked. */
export const start: Followed = { head: genesis, faults: [] }

/**
 * Checks the next receipts of a chain, given oldest first. Continues from a faulty receipt as it is stored, so one
 * fault does not make all later receipts faulty.
 */
export const follow = Effect.fnUntraced(function* (
  scope: MerchantScope,
  { faults, head }: Followed,
  receipts: ReadonlyArray<Receipt>
) {
  const found = [...faults]
  let before = head
  for (const receipt of receipts) {
    const fault = yield* faultOf(scope, before, receipt)
    if (fault !== undefined) found.push(fault)
    before = headAt(receipt)
  }
  const followed: Followed = { head: before, faults: found }
  return followed
})

/**
 * Moves the head past an unreadable receipt and records that receipt as a fault. The new head's hash is `previousHash`
 * of `next`, the receipt after the unreadable one. Without `next`, the hash stays the same.
 */
export const skip = ({ faults, head }: Followed, next: Receipt | undefined): Followed => ({
  head: { sequence: head.sequence + 1, hash: next?.previousHash ?? head.hash },
  faults: [...faults, { sequence: head.sequence + 1, reason: "unreadable" }]
})

/**
 * Checks a complete chain, given oldest receipt first. Detects receipts that were changed, removed, repeated, moved or
 * taken from another chain. Returns at most one fault per receipt, and `end_missing` if the receipts do not include
 * `end`.
 *
 * `end` is the last known end of the chain. Without it, a chain whose newest receipts were removed or rewritten looks
 * intact.
 */
export const verify = Effect.fnUntraced(function* (
  scope: MerchantScope,
  receipts: ReadonlyArray<Receipt>,
  end: ChainHead | undefined
) {
  const { faults } = yield* follow(scope, start, receipts)
  return end === undefined || hasReached(receipts, end) ? faults : [...faults, endMissing(end)]
})

/** Returns true if `receipts` include the receipt at `end`. Always true if `end` has the sequence of `genesis`. */
export const hasReached = (receipts: ReadonlyArray<Receipt>, end: ChainHead): boolean =>
  end.sequence === genesis.sequence ||
  receipts.some(({ hash, sequence }) => sequence === end.sequence && hash === end.hash)

export const endMissing = ({ sequence }: ChainHead): ChainFault => ({ sequence, reason: "end_missing" })
