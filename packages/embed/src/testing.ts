import { randomBytes } from "node:crypto"
import { Clock, Context } from "effect"
import { createSuretyWith } from "./assemble.js"
import { unwrap } from "./Outcome.js"
import type { Surety } from "./Surety.js"
import type { SuretyOptions } from "./SuretyOptions.js"
import { memoryStore } from "./store/memoryStore.js"
import * as Inbox from "./testing/Inbox.js"
import * as KitClock from "./testing/KitClock.js"

export { type DirectoryUnderTest, directoryLaws } from "./testing/directoryLaws.js"
export type { Inbox } from "./testing/Inbox.js"
export type { KitClock } from "./testing/KitClock.js"
export { type BrokenLaw, LawsBroken } from "./testing/Laws.js"
export { type WalletUnderTest, walletLaws } from "./testing/walletLaws.js"

/**
 * Options of `createSurety` except `targets` and `secretsKey`, all optional, and the environment of the seeded records.
 */
export interface TestKitOptions extends Partial<Omit<SuretyOptions, "targets" | "secretsKey">> {
  /** Default: `TEST`. `LIVE` uses the host's KYC providers and enforces the limits on asking people. */
  readonly environment?: "TEST" | "LIVE"
}

type Seeded<Call extends (input: never) => Promise<unknown>> =
  Extract<Awaited<ReturnType<Call>>, { readonly ok: true }> extends { readonly value: infer Value } ? Value : never

/** A Surety instance with seeded records, an inbox and a clock, for a host's tests. */
export interface TestKit {
  readonly surety: Surety
  /** The scope to pass to calls: `{ merchantId, environment }` of the seeded merchant. */
  readonly scope: { readonly merchantId: string; readonly environment: "TEST" | "LIVE" }
  /** An active merchant whose webhook endpoint is the inbox. */
  readonly merchant: Seeded<Surety["merchants"]["create"]>
  /** The merchant's secret key, `sk_test_…` or in LIVE `sk_live_…`, for HTTP requests through `surety.handler`. */
  readonly apiKey: string
  /** A consumer named Ada Obi, linked to the merchant. */
  readonly consumer: Seeded<Surety["consumers"]["create"]>
  /** A settled payment of 2,500.50 NGN from the consumer's wallet. */
  readonly payment: Seeded<Surety["payments"]["record"]>
  readonly inbox: Inbox.Inbox
  readonly clock: KitClock.KitClock
  /**
   * Same as `surety.workers.runOnce`: performs queued calls, and sends due webhooks and events for the host until none
   * is due. Other work, such as recovery and expiry, gets one round.
   */
  readonly runUntilIdle: () => Promise<void>
  readonly close: () => Promise<void>
  /** Same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const application = {
  name: "Ada's Shop",
  legalName: "Ada Obi Trading Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@shop.example",
  country: "NG",
  businessType: "retail"
}

const seed = async (surety: Surety, environment: "TEST" | "LIVE", url: string) => {
  const applied = unwrap(await surety.merchants.create(application))
  const merchant = unwrap(
    await surety.merchants.changeStatus({ merchantId: applied.id, status: "ACTIVE", reason: "A test's merchant." })
  )
  const scope = { merchantId: merchant.id, environment } as const
  const { secret: apiKey } = unwrap(await surety.apiKeys.create(scope))
  const consumer = unwrap(
    await surety.consumers.create({
      environment,
      userId: "user-ada",
      displayName: "Ada Obi",
      email: "ada@people.example",
      country: "NG",
      phoneVerified: true,
      linkedTo: merchant.id
    })
  )
  const payment = unwrap(
    await surety.payments.record({
      ...scope,
      transactionId: "order-1",
      serviceId: consumer.serviceId,
      amount: 2500.5,
      reference: "ORDER-1"
    })
  )
  // Registered after the other records, so that the inbox starts empty.
  const endpoint = unwrap(await surety.webhooks.register({ ...scope, url }))
  return { merchant, scope, apiKey, endpoint, consumer, payment }
}

/**
 * Creates a Surety instance for a host's own tests, by default in memory. Includes a movable clock, a merchant with
 * a key, a consumer with a payment, and an inbox of verified webhooks. Works with any test runner. To test the host's
 * own parts, pass them as options.
 *
 * @example
 * import { unwrap } from "@surety/embed"
 * import { createTestKit } from "@surety/embed/testing"
 *
 * const kit = await createTestKit({ wallet })
 * unwrap(
 *   await kit.surety.refunds.create({ ...kit.scope, idempotencyKey: "return-1", transactionId: "order-1", amount: 1000 })
 * )
 * await kit.runUntilIdle()
 * console.log(kit.inbox.of("refund.completed")[0]?.payload.amount) // 1000
 * await kit.close()
 */
export const createTestKit = async ({
  environment = "TEST",
  store = memoryStore(),
  ...options
}: TestKitOptions = {}): Promise<TestKit> => {
  const { clock, service } = KitClock.make(Context.get(Context.empty(), Clock.Clock))
  const secretsKey = randomBytes(32).toString("base64")
  const inbox = await Inbox.open(clock.now)
  let opened: Surety | undefined
  const close = async () => {
    try {
      await opened?.close()
    } finally {
      await inbox.close()
    }
  }
  try {
    const surety = await createSuretyWith({ ...options, store, secretsKey, targets: "any" }, service)
    opened = surety
    const { endpoint, ...seeded } = await seed(surety, environment, inbox.url)
    inbox.trust(endpoint.secret)
    const runUntilIdle = surety.workers.runOnce
    return { ...seeded, surety, inbox, clock, runUntilIdle, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}
