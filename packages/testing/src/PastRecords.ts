import { assert } from "@effect/vitest"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { KycStore } from "@surety/core/kyc/KycStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { Effect } from "effect"
import * as Fresh from "./FreshIds.js"
import { endOfPast } from "./Past.js"

/** Fails if any port used below has a record that is due in the past. */
export const expectNone = Effect.gen(function* () {
  yield* Fresh.longAgo
  const now = endOfPast
  const later = Fresh.later(now, 1)
  const claim = { now, leasedUntil: later, againAt: later, limit: 10, perEndpoint: 10 }
  const upkeep = yield* ConsentUpkeep
  const kyc = yield* KycStore
  const lapsed = yield* upkeep.lapsed(now, 10)
  assert.deepStrictEqual(
    {
      deliveries: (yield* (yield* DeliveryQueue).claim(claim)).length,
      refunds: (yield* (yield* RefundStore).due(now, now, 10)).length,
      verifications: (yield* kyc.claim({ ...claim, id: undefined })).length,
      verificationAnswers: yield* kyc.forgetAnswers(now, 10),
      requests: lapsed.requests.length,
      grants: lapsed.grants.length,
      notices: (yield* upkeep.claimNotifications(claim)).length,
      requestAnswers: yield* upkeep.forgetAnswers(now, 10),
      codes: yield* (yield* CodeChallengeStore).forget(now, 10),
      links: yield* (yield* ManagementLinkStore).forget(now, 10)
    },
    {
      deliveries: 0,
      refunds: 0,
      verifications: 0,
      verificationAnswers: 0,
      requests: 0,
      grants: 0,
      notices: 0,
      requestAnswers: 0,
      codes: 0,
      links: 0
    }
  )
})
