import { type BenchMerchant, type MadeRefund, paymentMinor } from "./LoadJob.ts"
import { Random } from "./Random.ts"

/** A refund to ask for. */
export interface RefundOrder extends Omit<MadeRefund, "refundId"> {
  readonly apiKey: string
  readonly body: RefundBody
}

/** The request's body: each is another, by its `merchant_reference`. */
export interface RefundBody {
  readonly transaction_id: string
  readonly amount: number
  readonly currency: "NGN"
  readonly reason: string
  readonly merchant_reference: string
}

const largestMinor = 10_000
const attempts = 1000

/** Makes up refunds of random payments that have enough left, each under an idempotency key of its own. */
export class RefundOrders {
  readonly #merchants: ReadonlyArray<BenchMerchant>
  readonly #name: string
  readonly #random: Random
  readonly #leftMinor: Map<string, number>
  #count = 0

  /** `leftMinor` remembers over all jobs what is left of each payment. */
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
      if (merchant === undefined || paymentId === undefined) throw new Error("There is no payment to refund")
      const key = `${merchant.id} ${paymentId}`
      const leftMinor = this.#leftMinor.get(key) ?? paymentMinor
      if (leftMinor < amountMinor) continue
      this.#leftMinor.set(key, leftMinor - amountMinor)
      return { merchant, paymentId }
    }
    throw new Error("The payments are used up")
  }
}
