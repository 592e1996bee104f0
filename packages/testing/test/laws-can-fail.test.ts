import { assert, it } from "@effect/vitest"
import { laws } from "@surety/testing/AllLaws"
import { Cause, Effect, Exit } from "effect"
import type { Broken } from "./broken/Broken.js"
import * as Asking from "./broken/brokenAsking.js"
import * as ConsentAudit from "./broken/brokenConsentAudit.js"
import * as ConsentGrants from "./broken/brokenConsentGrants.js"
import * as ConsentRecords from "./broken/brokenConsentRecords.js"
import * as Consents from "./broken/brokenConsents.js"
import * as DeliveryLists from "./broken/brokenDeliveryLists.js"
import * as Stats from "./broken/brokenDeliveryStats.js"
import * as Events from "./broken/brokenEvents.js"
import * as Kyc from "./broken/brokenKyc.js"
import * as KycGrants from "./broken/brokenKycGrants.js"
import * as KycHolds from "./broken/brokenKycHolds.js"
import * as KycSaves from "./broken/brokenKycSaves.js"
import * as Merchants from "./broken/brokenMerchants.js"
import * as Payments from "./broken/brokenPayments.js"
import * as PendingRefunds from "./broken/brokenPendingRefunds.js"
import * as PersonConsents from "./broken/brokenPersonConsents.js"
import * as RateLimits from "./broken/brokenRateLimits.js"
import * as Recovery from "./broken/brokenRecovery.js"
import * as Refunds from "./broken/brokenRefunds.js"
import * as SecretKeys from "./broken/brokenSecretKeys.js"
import * as VerificationLists from "./broken/brokenVerificationLists.js"
import * as Webhooks from "./broken/brokenWebhooks.js"

const brokenStores: ReadonlyArray<Broken> = [
  ...Merchants.brokenStores,
  ...Payments.brokenStores,
  ...Refunds.brokenStores,
  ...SecretKeys.brokenStores,
  ...PendingRefunds.brokenStores,
  ...Consents.brokenStores,
  ...Asking.brokenStores,
  ...ConsentGrants.brokenStores,
  ...ConsentAudit.brokenStores,
  ...ConsentRecords.brokenStores,
  ...PersonConsents.brokenStores,
  ...Kyc.brokenStores,
  ...KycGrants.brokenStores,
  ...KycHolds.brokenStores,
  ...KycSaves.brokenStores,
  ...Events.brokenStores,
  ...Recovery.brokenStores,
  ...DeliveryLists.brokenStores,
  ...Stats.brokenStores,
  ...Webhooks.brokenStores,
  ...RateLimits.brokenStores,
  ...VerificationLists.brokenStores
]

for (const { caughtBy, how, layer } of brokenStores) {
  for (const { body, name } of caughtBy) {
    it.live(`catches a store that ${how}: "${name}"`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Effect.provide(Effect.scoped(body), layer))
        if (Exit.isSuccess(exit)) return assert.fail("the law passed")
        const error = Cause.squash(exit.cause)
        assert.strictEqual(error instanceof Error ? error.name : error, "AssertionError", String(error))
      })
    )
  }
}

it("catches something with every law", () => {
  const catching = new Set(brokenStores.flatMap(({ caughtBy }) => caughtBy))
  assert.deepStrictEqual(
    laws.filter((law) => !catching.has(law)).map(({ name }) => name),
    []
  )
})
