import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Grant } from "../consent/grant/Grant.js"
import type { Environment } from "../Environment.js"
import type { DomainEvent } from "../event/DomainEvent.js"
import type { MerchantId, UserId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Consumer, ConsumerLink, LinkedConsumer } from "./Consumer.js"
import type { ConsumerId } from "./ConsumerId.js"

/** Selects consumers. Undefined fields do not filter. */
export interface ConsumerFilter {
  readonly externalId?: string | undefined
  readonly userId?: UserId | undefined
  /** Case-insensitive. */
  readonly email?: Redacted.Redacted<string> | undefined
}

/** `person_unknown`: the consumer does not exist, and nothing is stored. */
export type LinkOutcome = "linked" | "linked_before" | "person_unknown"

export class ConsumerStore extends Context.Service<
  ConsumerStore,
  {
    /**
     * Stores the consumer and, if given, `link`, atomically. Returns false and stores nothing if the service id or the
     * user id is taken in that environment. An erased person's service id stays taken.
     */
    readonly insert: (consumer: Consumer, link: ConsumerLink | undefined) => Effect.Effect<boolean, StoreError>

    readonly findByServiceId: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<Consumer>, StoreError>

    /** Links a consumer to a merchant. Idempotent: only one of several calls for the same link returns `linked`. */
    readonly link: (link: ConsumerLink) => Effect.Effect<LinkOutcome, StoreError>

    /** Removes a link; grants are unaffected. Returns false if no link exists. */
    readonly unlink: (
      merchantId: MerchantId,
      environment: Environment,
      userId: UserId
    ) => Effect.Effect<boolean, StoreError>

    /** Lists the consumers with a link to the merchant, most recently linked first. A grant alone is not a link. */
    readonly listLinked: (
      merchantId: MerchantId,
      environment: Environment,
      page: PageRequest
    ) => Effect.Effect<Page<LinkedConsumer>, StoreError>

    /**
     * Returns true if the merchant may verify this consumer (managed KYC). This requires a link, or a grant not yet
     * recorded as ended. A link survives the end of the last grant.
     */
    readonly isLinked: (
      merchantId: MerchantId,
      environment: Environment,
      userId: UserId
    ) => Effect.Effect<boolean, StoreError>

    /** Lists the consumers that match every field of `filter`, newest first. */
    readonly list: (
      environment: Environment,
      page: PageRequest,
      filter?: ConsumerFilter
    ) => Effect.Effect<Page<Consumer>, StoreError>

    /**
     * Replaces name, e-mail, country, `phoneVerified` and external id, and stores the events with their deliveries,
     * atomically. Leaves the consumer's other properties unchanged.
     *
     * Returns false and stores nothing unless the stored details equal those of `before`. Also returns false if the
     * consumer's `ACTIVE` grants are not exactly `grants`, so that no merchant with a new grant misses its event.
     */
    readonly change: (
      before: Consumer,
      after: Consumer,
      events: ReadonlyArray<DomainEvent>,
      grants: ReadonlyArray<Pick<Grant, "id" | "merchantId">>
    ) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/consumer/ConsumerStore") {}
