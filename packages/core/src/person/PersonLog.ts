import { Context, type DateTime, type Effect, type Option } from "effect"
import type { IdentityRead } from "../consent/read/IdentityRead.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { ApiKeyId, MerchantId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Holdings } from "./Holdings.js"

/** Which reads a breach report is about: undefined fields do not filter. */
export interface ReadFilter {
  readonly environment: Environment
  /** Reads from this moment on. */
  readonly since: DateTime.Utc
  /** Reads before this moment. */
  readonly until: DateTime.Utc | undefined
  readonly merchantId: MerchantId | undefined
  readonly apiKeyId: ApiKeyId | undefined
}

/** Read side of people's rights: what is held of one person, and whose values were read. */
export class PersonLog extends Context.Service<
  PersonLog,
  {
    /**
     * Everything that is held of the person; none if there is no such person, or they are erased. With `atMost`, at
     * most that many of each kind, the newest, for pages: the refunds are of the payments returned, and the messages
     * about records returned.
     */
    readonly holdings: (
      environment: Environment,
      serviceId: ConsumerId,
      atMost?: number
    ) => Effect.Effect<Option.Option<Holdings>, StoreError>

    /** The reads that pass the filter, newest first. */
    readonly reads: (filter: ReadFilter, page: PageRequest) => Effect.Effect<Page<IdentityRead>, StoreError>
  }
>()("@surety/core/person/PersonLog") {}
