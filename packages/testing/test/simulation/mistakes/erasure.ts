import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { environmentKey } from "@surety/core/memory/MemoryState"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RetentionStore } from "@surety/core/retention/RetentionStore"
import type { RightsHolder } from "@surety/testing/simulation/invariants/RightsInvariants"
import { DateTime, Effect, Option } from "effect"
import { around, asking, broken, faultsOf, instead } from "../../faults/Fault.js"
import { type Mistake, ofStore, years } from "./Mistake.js"

const persons = faultsOf(PersonStore)
const personLog = faultsOf(PersonLog)
const retention = faultsOf(RetentionStore)

/**
 * A person store that hides the person's active grants from `erasure` and `erase`. It restores the grants afterwards,
 * under the pseudonym if the person was erased. Observers of `state.grants` see neither change.
 */
const consentsKept = broken(PersonStore, "leaves the consents of whom it erases", [], (sound, state) => {
  const hidden = <A, E>(
    { environment, userId }: RightsHolder,
    pseudonym: UserId | undefined,
    act: Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const theirs = [...state.grants].filter(
        ([_, grant]) => grant.status === "ACTIVE" && grant.userId === userId && grant.environment === environment
      )
      for (const [id] of theirs) Map.prototype.delete.call(state.grants, id)
      return Effect.ensuring(
        act,
        Effect.sync(() => {
          const isGone = pseudonym !== undefined && !state.consumers.has(environmentKey(environment, userId))
          for (const [id, grant] of theirs) {
            Map.prototype.set.call(state.grants, id, isGone ? { ...grant, userId: pseudonym } : grant)
          }
        })
      )
    })
  const personOf = (environment: Environment, serviceId: ConsumerId): RightsHolder => {
    const key = state.consumersByServiceId.get(environmentKey(environment, serviceId)) ?? ""
    return { environment, userId: UserId.make(key.slice(environment.length + 1)) }
  }
  return {
    erasure: (environment, serviceId) =>
      hidden(personOf(environment, serviceId), undefined, sound.erasure(environment, serviceId)),
    erase: (plan) => hidden(plan.person, plan.pseudonym, sound.erase(plan))
  }
})

/** Mistakes in erasure and retention. */
export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    "erased_stays_erased",
    around(
      persons("erase", "keeps a copy of whom it erases"),
      (state, [{ person }]) => state.consumers.get(environmentKey(person.environment, person.userId)),
      (consumer, state, [{ person }]) => {
        if (consumer !== undefined) state.consumers.set(environmentKey(person.environment, person.userId), consumer)
      }
    )
  ),
  ofStore(
    "erased_stays_erased",
    asking(persons("erase", "leaves the person's id in what must stay"), ([plan]) => [
      { ...plan, pseudonym: plan.person.userId }
    ])
  ),
  ofStore(
    ["erased_stays_erased", "own_records_only"],
    instead(personLog("holdings", "exports whom it erased from a copy"), (holdings) => {
      const copies = new Map<string, Effect.Success<ReturnType<typeof holdings>>>()
      return (environment, serviceId) =>
        Effect.map(holdings(environment, serviceId), (found) => {
          const key = environmentKey(environment, serviceId)
          const known = Option.isSome(found) ? found : (copies.get(key) ?? found)
          copies.set(key, known)
          return known
        })
    })
  ),
  ofStore("erased_stays_erased", consentsKept),
  {
    how: "takes a host's silence for an erasure",
    violates: ["erased_stays_erased"],
    parts: {
      holder: (reached) => ({ ...reached, name: reached.name, export: reached.export, erase: () => Effect.void })
    }
  },
  ofStore(
    "kept_for_its_time",
    asking(retention("take", "takes reads a month early"), ([kind, before, limit]) => [
      kind,
      DateTime.add(before, { days: 30 }),
      limit
    ]),
    "retention"
  ),
  ofStore(
    "kept_for_its_time",
    asking(retention("take", "takes no read ever"), ([kind, before, limit]) => [
      kind,
      kind === "reads" || kind === "rightsRequests" ? DateTime.subtract(before, years) : before,
      limit
    ]),
    "retention"
  )
]
