import { Context, DateTime, Effect, Layer } from "effect"
import { type StoreError, skipDamaged } from "../StoreError.js"
import type { Keyring } from "../secret/Keyring.js"
import { ConsentUpkeep } from "./ConsentUpkeep.js"
import { ConsentPolicy } from "./grant/ConsentPolicy.js"
import { Grants } from "./grant/Grants.js"
import * as ConsentNotifications from "./notification/ConsentNotifications.js"
import type { ConsentNotifier } from "./notification/ConsentNotifier.js"
import { DataRequests } from "./request/DataRequests.js"

/** Counts for a round of upkeep: expiries recorded, notifications sent, and requests whose responses were deleted. */
export interface Swept {
  readonly requestsExpired: number
  readonly grantsExpired: number
  readonly peopleTold: number
  readonly answersForgotten: number
}

/** A round of upkeep, which `ConsentSweeper.worker` repeats. */
export class ConsentSweep extends Context.Service<
  ConsentSweep,
  {
    /**
     * Records expiries with their receipts, sends due notifications, and deletes old requests' stored responses, keys
     * and links (contract 6, 7). One call handles a limited number of each, so call it repeatedly. Several nodes may
     * run it concurrently.
     */
    readonly sweep: Effect.Effect<Swept, StoreError>
  }
>()("@surety/core/consent/ConsentSweep") {}

/** Limit per round, applied separately to expired requests, expired grants and requests whose responses are deleted. */
const sweptAtOnce = 500

type Needs = DataRequests | Grants | ConsentUpkeep | ConsentNotifier | Keyring

export const layer: Layer.Layer<ConsentSweep, never, Needs> = Layer.effect(
  ConsentSweep,
  Effect.gen(function* () {
    const upkeep = yield* ConsentUpkeep
    const policy = yield* ConsentPolicy
    const requests = yield* DataRequests
    const grants = yield* Grants
    const notices = yield* ConsentNotifications.make

    const sweep = Effect.gen(function* () {
      const now = yield* DateTime.now
      const lapsed = yield* upkeep.lapsed(now, sweptAtOnce)
      const expiredRequests = yield* Effect.forEach(
        lapsed.requests,
        (id) => skipDamaged(id, false)(requests.expire(id)),
        { concurrency: 8 }
      )
      const expiredGrants = yield* Effect.forEach(lapsed.grants, (id) => skipDamaged(id, false)(grants.expire(id)), {
        concurrency: 8
      })
      const swept: Swept = {
        requestsExpired: expiredRequests.filter(Boolean).length,
        grantsExpired: expiredGrants.filter(Boolean).length,
        peopleTold: yield* notices.send(undefined),
        answersForgotten: yield* upkeep.forgetAnswers(DateTime.subtractDuration(now, policy.keyRetention), sweptAtOnce)
      }
      return swept
    }).pipe(Effect.withSpan("ConsentSweep.sweep"))

    return ConsentSweep.of({ sweep })
  })
)
