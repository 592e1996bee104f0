import { assert } from "@effect/vitest"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { KycStore } from "@surety/core/kyc/KycStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { DateTime, Effect } from "effect"
import * as Fresh from "./FreshIds.js"

/** After every moment that a law of the past asks about, and before every record of the present. */
const endOfPast = DateTime.makeUnsafe(Date.UTC(2010, 0, 1))

/** Fails if anything is due, unfinished or old in the past, by any queue that a worker works off. */
export const expectNone = Effect.gen(function* () {
  yield* Fresh.longAgo
  const now = endOfPast
  const later = Fresh.later(now, 1)
  const claim = { now, leaseUntil: later, heldUntil: later, againAt: later, limit: 10, perEndpoint: 10 }
  const upkeep = yield* ConsentUpkeep
  const kyc = yield* KycStore
  const lapsed = yield* upkeep.lapsed(now, 10)
  assert.deepStrictEqual(
    {
      deliveries: (yield* (yield* DeliveryQueue).claim(claim)).length,
      refunds: (yield* (yield* RefundStore).unfinished(now, now, 10)).length,
      verifications: (yield* kyc.claim({ ...claim, id: undefined })).length,
      verificationAnswers: yield* kyc.forgetAnswers(now, 10),
      requests: lapsed.requests.length,
      grants: lapsed.grants.length,
      notices: (yield* upkeep.claimNotices(claim)).length,
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
