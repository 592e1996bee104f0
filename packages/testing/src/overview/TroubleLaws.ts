import { assert } from "@effect/vitest"
import type { Environment } from "@surety/core/Environment"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { OverviewLog } from "@surety/core/overview/OverviewLog"
import type { DateTime } from "effect"
import { Effect } from "effect"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as Fresh from "../FreshIds.js"
import * as FreshVerification from "../kyc/FreshVerification.js"
import { law, lawAlone } from "../Law.js"

export const listsTroubled = law(
  "lists endpoints that fail or are disabled, the longest first, in their environment",
  Effect.gen(function* () {
    const log = yield* OverviewLog
    const { scope } = yield* FreshConsent.parties()
    const at = yield* Fresh.longAgo
    const failing = yield* FreshEndpoint.make(scope, { failingSince: Fresh.later(at, 1_000) })
    const disabled = yield* FreshEndpoint.make(scope, { status: "DISABLED", at })
    // Both disabled and failing. Its `since` is the time at which it was disabled.
    const both = yield* FreshEndpoint.make(scope, { status: "DISABLED", at: Fresh.later(at, 2_000), failingSince: at })
    yield* FreshEndpoint.make(scope, { at })
    const removed = yield* FreshEndpoint.make(scope, { status: "DISABLED", at })
    const store = yield* WebhookEndpointStore
    yield* store.remove(removed.merchantId, removed.id)
    const theirs = Effect.fnUntraced(function* (environment: Environment) {
      const all = yield* log.troubledEndpoints(environment, 100_000)
      return all.filter(({ merchantId }) => merchantId === scope.merchantId)
    })
    const listed = ({ id, merchantId, status, url }: WebhookEndpoint, since: DateTime.Utc) => ({
      endpointId: id,
      merchantId,
      url,
      status,
      since
    })
    assert.deepStrictEqual(yield* theirs(scope.environment), [
      listed(disabled, at),
      listed(failing, Fresh.later(at, 1_000)),
      listed(both, Fresh.later(at, 2_000))
    ])
    assert.deepStrictEqual(yield* theirs(scope.environment === "LIVE" ? "TEST" : "LIVE"), [])
    assert.lengthOf(yield* log.troubledEndpoints(scope.environment, 2), 2, "no more than the limit")
  })
)

export const listsStuck = lawAlone(
  "lists verifications that have been open for long, the longest first, in their environment",
  Effect.gen(function* () {
    const log = yield* OverviewLog
    const kyc = yield* KycStore
    const first = yield* FreshVerification.make()
    const { madeAt, scope } = first
    const second = yield* FreshVerification.make({ scope, at: Fresh.later(madeAt, 1_000) })
    yield* FreshVerification.make({ scope, at: Fresh.later(madeAt, 5_000) })
    const over = yield* FreshVerification.make({ scope, at: madeAt })
    yield* kyc.settle(FreshVerification.verifiedBy(over.leased))
    const theirs = Effect.fnUntraced(function* (environment: Environment, before: DateTime.Utc) {
      const all = yield* log.stuckVerifications(environment, before, 100_000)
      return all.filter(({ merchantId }) => merchantId === scope.merchantId)
    })
    const listed = ({ consumer, verification: { createdAt, id, kind, merchantId, provider } }: typeof first) => ({
      verificationId: id,
      merchantId,
      serviceId: consumer.serviceId,
      kind,
      ...(provider === undefined ? {} : { provider }),
      createdAt
    })
    const before = Fresh.later(madeAt, 5_000)
    assert.deepStrictEqual(yield* theirs(scope.environment, before), [listed(first), listed(second)])
    assert.lengthOf(yield* theirs(scope.environment, Fresh.later(before, 1)), 3)
    assert.deepStrictEqual(yield* theirs(scope.environment === "LIVE" ? "TEST" : "LIVE", before), [])
    assert.lengthOf(yield* log.stuckVerifications(scope.environment, before, 1), 1, "no more than the limit")
  })
)
