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
  /** In any letter case. */
  readonly email?: Redacted.Redacted<string> | undefined
}

export class ConsumerStore extends Context.Service<
  ConsumerStore,
  {
    /**
     * Stores the consumer, and links it if `link` is given: all or nothing. Returns false and stores nothing if the
     * service id or the user id is taken in that environment.
     */
    readonly insert: (consumer: Consumer, link: ConsumerLink | undefined) => Effect.Effect<boolean, StoreError>

    readonly findByServiceId: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<Consumer>, StoreError>

    /** Links a consumer to a merchant. Idempotent. Returns false and stores nothing if there is no such consumer. */
    readonly link: (link: ConsumerLink) => Effect.Effect<boolean, StoreError>

    /** Removes a link; grants are unaffected. Returns false if no link exists. */
    readonly unlink: (
      merchantId: MerchantId,
      environment: Environment,
      userId: UserId
    ) => Effect.Effect<boolean, StoreError>

    /** Consumers with a link to the merchant, the latest link first. Excludes those it may name only by a grant. */
    readonly listLinked: (
      merchantId: MerchantId,
      environment: Environment,
      page: PageRequest
    ) => Effect.Effect<Page<LinkedConsumer>, StoreError>

    /**
     * Whether the merchant may name this consumer: by a link, or by a grant whose end has not been recorded. The end of
     * the last grant removes no link.
     */
    readonly isLinked: (
      merchantId: MerchantId,
      environment: Environment,
      userId: UserId
    ) => Effect.Effect<boolean, StoreError>

    /** The operator's list, newest first: all, or those that have every value of the filter. */
    readonly list: (
      environment: Environment,
      page: PageRequest,
      filter?: ConsumerFilter
    ) => Effect.Effect<Page<Consumer>, StoreError>

    /**
     * Replaces name, e-mail, country, phone flag and external id, and stores the events with their deliveries, all or
     * nothing, if these details still are those of `before` and the consumer's `ACTIVE` grants are exactly `grants`.
     * Otherwise returns false, so that concurrent changes do not overwrite each other, and the events reach every merchant
     * that could read the old details. Everything else of the consumer stays.
     */
    readonly change: (
      before: Consumer,
      after: Consumer,
      events: ReadonlyArray<DomainEvent>,
      grants: ReadonlyArray<Pick<Grant, "id" | "merchantId">>
    ) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/consumer/ConsumerStore") {}
