import { NodeCrypto } from "@effect/platform-node"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { parseVerification } from "@surety/core/kyc/command/VerificationCommand"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { VerificationResults } from "@surety/core/kyc/verification/VerificationResults"
import * as Verifications from "@surety/core/kyc/verification/Verifications"
import * as Keyring from "@surety/core/secret/Keyring"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as Fresh from "@surety/testing/FreshIds"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as Responses from "@surety/testing/Responses"
import { Context, Effect, Exit, Layer, Option, Redacted, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as TestStores from "../TestStores.js"

/** Builds services with their own pool, as in a separate process. `kill` closes their scope. */
const startProcess = Effect.fnUntraced(function* (fake: FakeKycProvider.FakeKycProvider) {
  const { url } = yield* TestDatabase
  const scope = yield* Scope.fork(yield* Effect.scope)
  const services = Verifications.layer.pipe(
    Layer.provide(Layer.provide(KycProviders.layer, fake.layer)),
    Layer.provide(PgStores.layer),
    Layer.provide(Layer.merge(DeliverySignal.layer, Layer.fresh(PgClient.layer({ url, maxConnections: 4 })))),
    Layer.provide(Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))])),
    Layer.provide(NodeCrypto.layer),
    Layer.provide(Responses.layer),
    Layer.fresh
  )
  const context = yield* Layer.buildWithScope(services, scope)
  return {
    verifications: Context.get(context, Verifications.Verifications),
    results: Context.get(context, VerificationResults),
    kill: Scope.close(scope, Exit.void)
  }
})

const number = "12345678901"

it.layer(TestStores.postgres)("a process killed between the provider's call and its outcome", (it) => {
  for (const { reply, what, status, failureReason, charged } of [
    { what: "had reached the provider", reply: "silent", status: "VERIFIED", failureReason: undefined, charged: 1 },
    {
      what: "had not reached the provider",
      reply: "unheard",
      status: "ERROR",
      failureReason: "submission_interrupted",
      charged: 0
    }
  ] as const) {
    it.effect(`leaves a verification that ends as ${status} where it ${what}, paid for no second time`, () =>
      Effect.gen(function* () {
        const fake = FakeKycProvider.make({ submissions: [reply] })
        const dying = yield* startProcess(fake)
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const consumer = yield* FreshConsumer.linkedTo(scope)
        const key = Fresh.idempotencyKey()
        const command = Result.getOrThrow(
          parseVerification({
            userId: consumer.userId,
            kind: "bvn",
            id: Redacted.make(number),
            verificationConsent: true,
            tier: "TIER_2"
          })
        )
        yield* Effect.forkChild(dying.verifications.submit(scope, key, command))
        yield* fake.firstAsked
        yield* dying.kill

        const { results, verifications } = yield* startProcess(fake)
        assert.strictEqual(yield* results.recover, 0, "it is the dead process's until its hold ends")
        yield* TestClock.adjust(defaultKycSettings.leaseTime)
        assert.strictEqual(yield* results.recover, 1)
        const replay = yield* verifications.submit(scope, key, command)
        assert.isTrue(replay.replayed)
        assert.deepInclude(JSON.parse(replay.response), { status, ...(failureReason && { failureReason }) })
        assert.strictEqual((yield* verifications.submit(scope, key, command)).response, replay.response)
        assert.lengthOf(fake.asked, 1)
        assert.lengthOf(fake.charged, charged)
        const consumers = yield* ConsumerStore
        const stored = Option.getOrThrow(yield* consumers.findByServiceId(scope.environment, consumer.serviceId))
        assert.strictEqual(stored.kycTier, status === "VERIFIED" ? "TIER_2" : undefined)
        const sql = yield* PgClient.PgClient
        const rows = yield* sql`select v::text as text from surety.verification v`
        assert.notInclude(JSON.stringify(rows), number)
      })
    )
  }
})
