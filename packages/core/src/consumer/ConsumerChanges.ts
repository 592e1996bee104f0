import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { dataChanged } from "../consent/ConsentEvents.js"
import { ConsentLog } from "../consent/ConsentLog.js"
import { type Grant, isInForce } from "../consent/grant/Grant.js"
import { decideUntilCommitted } from "../decideUntilCommitted.js"
import type { Environment } from "../Environment.js"
import type { DomainEvent } from "../event/DomainEvent.js"
import type { MerchantId } from "../Ids.js"
import type { ActionChange, OperatorActionDraft } from "../operator/OperatorAction.js"
import { largestPage, type Page } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import { Keyring } from "../secret/Keyring.js"
import type { Consumer } from "./Consumer.js"
import type { ConsumerId } from "./ConsumerId.js"
import { ConsumerStore } from "./ConsumerStore.js"
import { ConsumerNotFound } from "./Consumers.js"
import { type ChangedDetail, type ConsumerChange, changedConsumer, changedDetails } from "./changeConsumer.js"
import type { IdentityField } from "./IdentityField.js"

/**
 * A corrected consumer, and its changes in the form stored with an operator action. A change contains no values, only
 * a keyed hash of the old value, if any.
 */
export interface RectifiedConsumer {
  readonly consumer: Consumer
  readonly changes: ReadonlyArray<ActionChange>
}

/** Converts a correction into an operator action. Returns undefined if nothing changed. */
export const consumerChanged = (
  { changes, consumer: { environment, serviceId } }: RectifiedConsumer,
  reason: string
): OperatorActionDraft | undefined =>
  changes.length === 0
    ? undefined
    : { kind: "consumer.changed", target: serviceId, environment, serviceId, reason, changes }

/** Corrects consumers' details (contract 15.2, 17). */
export class ConsumerChanges extends Context.Service<
  ConsumerChanges,
  {
    /**
     * Changes the given details. For each merchant whose active grant covers a changed detail, stores
     * `merchant.identity.data_changed` in the same commit. If all values equal the stored ones, nothing is stored.
     */
    readonly rectify: (
      environment: Environment,
      serviceId: ConsumerId,
      change: ConsumerChange
    ) => Effect.Effect<RectifiedConsumer, ConsumerNotFound | StoreError>
  }
>()("@surety/core/consumer/ConsumerChanges") {}

/** Returns the changed fields that each merchant's active grants cover. Omits merchants whose grants cover none. */
const readersOf = (
  grants: ReadonlyArray<Grant>,
  changed: ReadonlyArray<ChangedDetail>,
  now: DateTime.Utc
): ReadonlyMap<MerchantId, ReadonlyArray<IdentityField>> => {
  const readers = new Map<MerchantId, ReadonlyArray<IdentityField>>()
  for (const grant of grants) {
    if (!isInForce(grant, now)) continue
    const seen = readers.get(grant.merchantId) ?? []
    const more = changed.flatMap(({ field }) =>
      field !== undefined && grant.fields.includes(field) && !seen.includes(field) ? [field] : []
    )
    if (more.length > 0) readers.set(grant.merchantId, [...seen, ...more])
  }
  return readers
}

export const layer: Layer.Layer<
  ConsumerChanges,
  never,
  ConsumerStore | ConsentLog | Keyring | SecureRandom.SecureRandom
> = Layer.effect(
  ConsumerChanges,
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const log = yield* ConsentLog
    const keyring = yield* Keyring
    const random = yield* SecureRandom.SecureRandom

    const grantsOf = Effect.fnUntraced(function* ({ environment, userId }: Consumer) {
      const grants: Array<Grant> = []
      let cursor: string | undefined
      do {
        const page: Page<Grant> = yield* log.listGrants(
          { merchantId: undefined, environment },
          { userId },
          { limit: largestPage, cursor }
        )
        grants.push(...page.data)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      return grants
    })

    /**
     * Replaces a detail's old value, if any, with its keyed hash. The hash also covers the person and the detail, so
     * equal values of two people have different hashes.
     */
    const kept = Effect.fnUntraced(function* ({ environment, serviceId }: Consumer, { detail, from }: ChangedDetail) {
      if (from === undefined) return { field: detail }
      const [fromHash] = yield* keyring.fingerprints(
        JSON.stringify(["consumer detail", environment, serviceId, detail, Redacted.value(from)])
      )
      return { field: detail, fromHash }
    })

    const rectify = Effect.fn("ConsumerChanges.rectify")(function* (
      environment: Environment,
      serviceId: ConsumerId,
      change: ConsumerChange
    ) {
      const load = Effect.gen(function* () {
        const found = yield* store.findByServiceId(environment, serviceId)
        if (Option.isNone(found)) return yield* new ConsumerNotFound({ serviceId })
        const grants = yield* grantsOf(found.value)
        return { consumer: found.value, grants: grants.filter(({ status }) => status === "ACTIVE") }
      })

      const decide = Effect.fnUntraced(function* ({ consumer, grants }: Effect.Success<typeof load>) {
        const after = changedConsumer(consumer, change)
        const changed = changedDetails(consumer, after)
        const events: ReadonlyArray<DomainEvent> = yield* Effect.forEach(
          readersOf(grants, changed, yield* DateTime.now),
          ([merchantId, fields]) => dataChanged({ merchantId, environment }, serviceId, fields)
        ).pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        return { after, changed, events }
      })

      const { after, changed, before } = yield* decideUntilCommitted({
        load,
        decide: (snapshot) => Effect.map(decide(snapshot), (decided) => ({ ...decided, before: snapshot.consumer })),
        commit: (decided, { consumer, grants }) =>
          decided.changed.length === 0
            ? Effect.succeed(true)
            : store.change(consumer, decided.after, decided.events, grants)
      })
      return { consumer: after, changes: yield* Effect.forEach(changed, (detail) => kept(before, detail)) }
    })

    return ConsumerChanges.of({ rectify })
  })
)
