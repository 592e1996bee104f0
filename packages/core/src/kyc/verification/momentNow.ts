import { DateTime, Effect } from "effect"
import { Responses } from "../../idempotency/Responses.js"
import { makeProve } from "../evidence/KycStanding.js"
import { KycSettings } from "../KycSettings.js"
import type { Moment } from "./planProgress.js"

/** Makes the effect that returns the current `Moment`, under the settings and the policy in force. */
export const makeMomentNow: Effect.Effect<Effect.Effect<Moment>, never, Responses> = Effect.gen(function* () {
  const { schedule } = yield* KycSettings
  const prove = yield* makeProve
  const { verification: responseOf } = yield* Responses
  return Effect.map(DateTime.now, (now) => ({ now, schedule, prove, responseOf }))
})
