import { assert } from "@effect/vitest"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { UserId } from "@surety/core/Ids"
import { decideErasure, type ErasurePlan, endsNeeded } from "@surety/core/person/decideErasure"
import { PersonStore } from "@surety/core/person/PersonStore"
import { type DateTime, Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"

const actor: ConsentActor = { kind: "OPERATOR", name: "ada" }

export type Erased = Pick<Consumer, "environment" | "serviceId">

export interface ErasureOptions {
  readonly at?: DateTime.Utc
  /** Name under which the person's one-time codes are counted. Defaults to a new name. */
  readonly codeName?: string
}

/** Returns the current decision on an erasure, or `None` if the person is unknown or already erased. */
export const decide = Effect.fnUntraced(function* (
  { environment, serviceId }: Erased,
  { at, codeName = Fresh.randomText("person") }: ErasureOptions = {}
) {
  const store = yield* PersonStore
  const now = at ?? (yield* Fresh.now)
  return Option.map(yield* store.erasure(environment, serviceId), (snapshot) =>
    decideErasure(snapshot, {
      now,
      actor,
      pseudonym: UserId.make(Fresh.randomText("erased")),
      ends: Array.from({ length: endsNeeded(snapshot) }, () => ({
        receiptId: Fresh.receiptId(now),
        eventId: Fresh.eventId(now)
      })),
      policy: defaultConsentPolicy,
      codeName: ConsentTokenHash.make(codeName)
    })
  )
})

export const planned = Effect.fnUntraced(function* (person: Erased, options: ErasureOptions = {}) {
  const decision = Option.getOrUndefined(yield* decide(person, options))
  return decision?._tag === "Execute" ? decision.plan : assert.fail(`Expected a plan, got ${decision?._tag}`)
})

/** Erases the person, deciding again while the decision is stale. Returns the committed plan. */
export const erased = Effect.fnUntraced(function* (person: Erased, options: ErasureOptions = {}) {
  const store = yield* PersonStore
  let plan: ErasurePlan
  do plan = yield* planned(person, options)
  while (!(yield* store.erase(plan)))
  return plan
})
