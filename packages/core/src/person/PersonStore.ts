import { Context, type DateTime, type Effect, type Option, Schema } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { StoreError } from "../StoreError.js"
import type { ErasurePlan } from "./decideErasure.js"
import type { ErasureSnapshot, HeldPerson, Remains, RestrictedPerson } from "./HeldPerson.js"

/**
 * The limit on erasures within 24 hours, set by the tables' owner, is reached. Surety erased nothing, except in cells
 * that committed before this failure. Retry later.
 */
export class ErasuresExhausted extends Schema.TaggedError<ErasuresExhausted>(
  "@surety/core/person/PersonStore/ErasuresExhausted"
)("ErasuresExhausted", {}) {
  override get message(): string {
    return "The limit of erasures within 24 hours, set by the tables' owner, is reached. Retry later, or ask the owner to raise it."
  }
}

/** Finds, restricts and erases people (contract 17). */
export class PersonStore extends Context.Service<
  PersonStore,
  {
    /** Finds the person with this identifier, erased or not. */
    readonly find: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<HeldPerson>, StoreError>

    /**
     * Restricts the person, with `restrictedAt` as the start. An undefined `restrictedAt` lifts the restriction. An
     * existing restriction keeps its start. Once a restriction is stored, new identity reads on any node do not find
     * the person. Returns `None` if the person is unknown or erased. Of concurrent calls that set or lift the same
     * restriction, one returns `isNew`.
     */
    readonly restrict: (
      environment: Environment,
      serviceId: ConsumerId,
      restrictedAt: DateTime.Utc | undefined
    ) => Effect.Effect<Option.Option<RestrictedPerson>, StoreError>

    /** Takes the snapshot for an erasure. `None` if the person is unknown or already erased. */
    readonly erasure: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<ErasureSnapshot>, StoreError>

    /**
     * Erases the person in one commit, or in one per cell if the storage has cells. Returns true only if the plan still
     * holds. The plan must cover exactly the person's `ACTIVE` grants, `PENDING` requests and open verifications. No
     * refund may be pending.
     *
     * Removes data that serves only to find or describe the person, such as field values, links, one-time codes and
     * asking blocks. Also removes the hash and last characters of every submitted identity number. Removes the bodies
     * of endpoints' responses to events about the person's payments, refunds, grants, data requests and verifications.
     *
     * Ends the plan's grants, requests and verifications, and stores the plan's receipts and events. Ends the
     * verifications' leases too, so a provider's later response is not stored. Frees the idempotency keys of all
     * verifications, and closes open rights requests. Removes the payloads of the host's queued requests about the
     * person, and fails those that are pending.
     *
     * In the remaining records the user id becomes the pseudonym. The identifier stays taken, and only `find` still
     * finds the person by the identifier. No method finds the person by the former user id.
     *
     * A command in progress that has loaded the person either commits first, fails, or is decided again. Nothing is
     * stored under the former user id afterwards.
     *
     * Fails with `ErasuresExhausted` if the tables' owner allows no more erasures within 24 hours.
     */
    readonly erase: (plan: ErasurePlan) => Effect.Effect<boolean, ErasuresExhausted | StoreError>

    /** Counts the records about the person that remain after an erasure. */
    readonly remains: (person: HeldPerson) => Effect.Effect<Remains, StoreError>
  }
>()("@surety/core/person/PersonStore") {}
