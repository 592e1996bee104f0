import type { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { type DateTime, Effect, type Scope } from "effect"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

type Ports = ConsentStore | ConsentLog | ConsentUpkeep

const leaveNothing = Effect.fnUntraced(function* (scope: MerchantScope, madeBefore: DateTime.Utc) {
  const upkeep = yield* ConsentUpkeep
  const { grants, requests } = yield* FreshConsent.traceOf(scope)
  for (const { createdAt: at, id } of requests) yield* ConsentAttempt.decide(id, ConsentAttempt.cancel, { at })
  for (const { grantedAt: at, id } of grants) yield* ConsentAttempt.end(id, ConsentAttempt.revoke, { at })
  yield* upkeep.forgetAnswers(madeBefore, 1_000)
})

/**
 * Adds a finalizer that cancels the scope's requests and revokes its grants, so that none stays due. The finalizer then
 * calls `forgetAnswers(madeBefore)`, which applies to the requests of all merchants. For laws that create consents in
 * the past.
 */
export const removedAtEnd = (
  scope: MerchantScope,
  madeBefore: DateTime.Utc
): Effect.Effect<void, never, Ports | Scope.Scope> =>
  Effect.flatMap(Effect.context<Ports>(), (ports) =>
    Effect.addFinalizer(() => Effect.ignore(Effect.provide(leaveNothing(scope, madeBefore), ports)))
  )
