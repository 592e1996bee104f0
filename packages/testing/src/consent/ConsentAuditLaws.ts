import type { GrantEnd } from "@surety/core/consent/grant/decideGrant"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import * as FreshVerification from "../kyc/FreshVerification.js"
import { law } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

const expire: GrantEnd = { _tag: "Expire" }

export const consentsAreReceipted = law(
  "has a receipt of every outcome of a consent, in either environment, and an approved request for each grant by one",
  Effect.gen(function* () {
    const now = yield* Fresh.now
    const { consumer, scope: live } = yield* FreshConsent.parties("LIVE")
    const scopes = [live, FreshMerchant.otherEnvironment(live)] as const
    const people = [consumer, yield* FreshConsent.person("TEST")] as const
    for (const index of [0, 1] as const) {
      const [scope, person] = [scopes[index], people[index]]
      const short = { at: now, lifetimeMillis: 1_000 }
      const ask = (purpose: string) => ConsentAttempt.askedAnew(scope, person, { ...short, purpose })
      const verdicts = [ConsentAttempt.approveAll, ConsentAttempt.deny, ConsentAttempt.cancel] as const
      for (const verdict of verdicts) {
        const { request } = yield* ask(Fresh.randomText("purpose"))
        yield* ConsentAttempt.decided(request.id, verdict, { at: now })
      }
      const { request: ignored } = yield* ask(Fresh.randomText("purpose"))
      yield* ConsentAttempt.decided(ignored.id, ConsentAttempt.expire, { at: Fresh.later(now, 1_000) })
      yield* ConsentAttempt.given(scope, person, { at: now })
      yield* ConsentAttempt.revoked((yield* ConsentAttempt.given(scope, person, { at: now })).grant)
      // The merchant chooses the purpose, so the purpose may imitate a receipt's text. The audit must still find no
      // fault.
      const purpose = '"state":"REVOKED","recordId":"grant_0"'
      const { grant } = yield* ConsentAttempt.given(scope, person, { ...short, purpose })
      yield* ConsentAttempt.end(grant.id, expire, { at: Fresh.later(now, 1_000) })
      yield* LedgerChecks.expectSound
    }
  })
)

export const verificationsAreReceipted = law(
  "has a receipt of every verification, open or ended",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshVerification.make()
    const at = yield* Fresh.longAgo
    FreshVerification.planOf(yield* FreshVerification.attempt(scope, consumer, { at, id: "no number" }))
    yield* LedgerChecks.expectSound
  })
)

export const laws = [consentsAreReceipted, verificationsAreReceipted]
