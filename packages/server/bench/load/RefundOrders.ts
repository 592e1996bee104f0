import { type BenchMerchant, type MadeRefund, paymentMinor } from "./LoadJob.ts"

/** Mulberry32, a pseudorandom number generator. Equal seeds give every system the same numbers. */
class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** Returns an integer in [0, limit). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * limit)
  }
}

export interface RefundOrder extends Omit<MadeRefund, "refundId"> {
  readonly apiKey: string
  readonly body: RefundBody
}

/** Body of a refund request. Its `merchant_reference`, the idempotency key, makes it unique. */
export interface RefundBody {
  readonly transaction_id: string
  readonly amount: number
  readonly currency: "NGN"
  readonly reason: string
  readonly merchant_reference: string
}

const largestMinor = 10_000
const attempts = 1000

/** Generates refunds with distinct idempotency keys. Picks random payments that have enough left to refund. */
export class RefundOrders {
  readonly #merchants: ReadonlyArray<BenchMerchant>
  readonly #name: string
  readonly #random: Random
  readonly #leftMinor: Map<string, number>
  #count = 0

  /** `leftMinor` holds the amount left to refund for each payment picked so far. All jobs of a system share the map. */
  constructor(merchants: ReadonlyArray<BenchMerchant>, name: string, seed: number, leftMinor: Map<string, number>) {
    this.#merchants = merchants
    this.#name = name
    this.#random = new Random(seed)
    this.#leftMinor = leftMinor
  }

  next(): RefundOrder {
    const amountMinor = 1 + this.#random.below(largestMinor)
    const { merchant, paymentId } = this.#pick(amountMinor)
    this.#count += 1
    const idempotencyKey = `${this.#name}-${this.#count}`
    return {
      merchantId: merchant.id,
      apiKey: merchant.apiKey,
      paymentId,
      idempotencyKey,
      amountMinor,
      body: {
        transaction_id: paymentId,
        amount: amountMinor / 100,
        currency: "NGN",
        reason: "Out of stock",
        merchant_reference: idempotencyKey
      }
    }
  }

  #pick(amountMinor: number): { readonly merchant: BenchMerchant; readonly paymentId: string } {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const merchant = this.#merchants[this.#random.below(this.#merchants.length)]
      const paymentId = merchant?.paymentIds[this.#random.below(merchant.paymentIds.length)]
      if (merchant === undefined || paymentId === undefined) throw new Error("No payment to refund")
      const key = `${merchant.id} ${paymentId}`
      const leftMinor = this.#leftMinor.get(key) ?? paymentMinor
      if (leftMinor < amountMinor) continue
      this.#leftMinor.set(key, leftMinor - amountMinor)
      return { merchant, paymentId }
    }
    throw new Error("No payment has enough left")
  }
}
