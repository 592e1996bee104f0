import * as Currency from "@surety/core/Currency"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { Consumers } from "@surety/core/consumer/Consumers"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Payments } from "@surety/core/payment/Payments"
import { Array as Arr, Effect, Redacted } from "effect"
import { type BenchMerchant, paymentMinor } from "../load/LoadJob.ts"

const environment = "LIVE"
const actor = "bench"
const atOnce = 32

const profile = {
  name: "Bench",
  legalName: "Bench Ltd",
  contactName: Redacted.make("Ada Obi"),
  contactEmail: Redacted.make("ada@bench.example"),
  country: "NG",
  businessType: "retail"
}

const seedConsumers = Effect.fnUntraced(function* (count: number) {
  const consumers = yield* Consumers
  const person = { environment, phoneVerified: true } as const
  return yield* Effect.forEach(Arr.range(1, count), () => consumers.create(person, undefined), { concurrency: atOnce })
})

/**
 * Creates a merchant with one settled payment per customer. Registers its webhook endpoint last, and not for refund
 * events, so no webhooks are sent while refunds are measured.
 */
const seedMerchant = Effect.fnUntraced(function* (customers: ReadonlyArray<Consumer>) {
  const merchants = yield* Merchants
  const payments = yield* Payments
  const { id } = yield* merchants.apply(profile, actor)
  yield* merchants.changeStatus(id, { to: "ACTIVE", actor, reason: undefined })
  const { secret } = yield* (yield* ApiKeys).issue(id, environment)
  const recorded = yield* Effect.forEach(
    customers,
    ({ serviceId }, index) =>
      payments.record({
        scope: { merchantId: id, environment },
        amount: { currency: Currency.NGN, minor: BigInt(paymentMinor) },
        method: "WALLET",
        serviceId,
        reference: `order-${index}`,
        settled: true
      }),
    { concurrency: atOnce }
  )
  yield* (yield* WebhookEndpoints).register(id, {
    url: "https://hooks.example/surety",
    environment,
    topics: ["transaction.settled"]
  })
  const paymentIds = recorded.map((payment) => payment.id)
  return { id, apiKey: Redacted.value(secret), paymentIds } satisfies BenchMerchant
})

/**
 * Creates consumers, and one merchant per entry of `paymentsOfMerchants`, through Surety's services. An entry is the
 * merchant's number of settled payments, which are spread over the consumers.
 */
export const seed = Effect.fnUntraced(function* (paymentsOfMerchants: ReadonlyArray<number>, consumers: number) {
  const people = yield* seedConsumers(consumers)
  const merchants: Array<BenchMerchant> = []
  let before = 0
  for (const payments of paymentsOfMerchants) {
    const customers = Arr.makeBy(payments, (index) => people[(before + index) % people.length]).flatMap(
      (customer) => customer ?? []
    )
    merchants.push(yield* seedMerchant(customers))
    before += payments
  }
  return merchants
})
