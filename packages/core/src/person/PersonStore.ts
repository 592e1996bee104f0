import { Context, type DateTime, type Effect, type Option, Schema } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { StoreError } from "../StoreError.js"
import type { ErasurePlan } from "./decideErasure.js"
import type { ErasureSnapshot, HeldPerson, Remains } from "./HeldPerson.js"

/** The tables' owner allows no more erasures within 24 hours. Nothing was erased here; later it can be. */
export class ErasuresExhausted extends Schema.TaggedError<ErasuresExhausted>(
  "@surety/core/person/PersonStore/ErasuresExhausted"
)("ErasuresExhausted", {}) {
  override get message(): string {
    return "As many people were erased within 24 hours as the owner of the tables allows. Try again later, or have the owner allow more."
  }
}

/** Restriction and erasure of people (contract 17). */
export class PersonStore extends Context.Service<
  PersonStore,
  {
    /** The person of an identifier, erased or not. */
    readonly find: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<HeldPerson>, StoreError>

    /**
     * Restricts the person from `restrictedAt` on, or lifts the restriction. A restriction in force keeps its time. No
     * read that begins after it has returned, on any node, finds the person. Returns the person as of then; none if
     * there is no such person, or they are erased.
     */
    readonly restrict: (
      environment: Environment,
      serviceId: ConsumerId,
      restrictedAt: DateTime.Utc | undefined
    ) => Effect.Effect<Option.Option<HeldPerson>, StoreError>

    /** The snapshot that an erasure is decided on; none if there is no such person, or they are erased already. */
    readonly erasure: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<ErasureSnapshot>, StoreError>

    /**
     * Erases the person in one commit. Commits, and returns true, only if the person has exactly the plan's grants
     * `ACTIVE`, the plan's requests `PENDING` and the plan's verifications open, and no pending refund.
     *
     * Removes the person's values, links, management links, consent links, one-time codes, asking blocks, the hash and
     * the last characters of every verified number, and what receivers answered to events about them. Ends the plan's
     * grants, requests and verifications with their receipts and events, frees the keys of all verifications and closes
     * rights requests. A lease of a verification ends too: what its provider answers afterwards is stored nowhere. Everywhere else the user id becomes the pseudonym. The identifier stays taken, and no verb finds
     * a person by it or by the former user id.
     *
     * A command in progress that has loaded the person commits before, or fails, or is decided again: nothing is stored
     * under the former user id afterwards.
     *
     * Fails with `ErasuresExhausted` if the owner of the tables allows no more erasures within 24 hours.
     */
    readonly erase: (plan: ErasurePlan) => Effect.Effect<boolean, ErasuresExhausted | StoreError>

    /** What is left of the person. */
    readonly remains: (person: HeldPerson) => Effect.Effect<Remains, StoreError>
  }
>()("@surety/core/person/PersonStore") {}
