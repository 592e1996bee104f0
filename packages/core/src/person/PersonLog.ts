import { Context, type DateTime, type Effect, type Option } from "effect"
import type { IdentityRead } from "../consent/read/IdentityRead.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { ApiKeyId, MerchantId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Holdings } from "./Holdings.js"

/** Undefined fields do not filter. */
export interface ReadFilter {
  readonly environment: Environment
  /** Start of the period, inclusive. */
  readonly since: DateTime.Utc
  /** End of the period, exclusive. */
  readonly until: DateTime.Utc | undefined
  readonly merchantId: MerchantId | undefined
  readonly apiKeyId: ApiKeyId | undefined
}

/** Returns a person's records, and lists merchants' reads for a breach report. */
export class PersonLog extends Context.Service<
  PersonLog,
  {
    /**
     * Returns the records that Surety holds about the person. `None` if the person is unknown or erased.
     *
     * With `atMost`, each list except `wallets` contains only its newest `atMost` records. Refunds are then limited to
     * the returned payments, and messages about older records may be missing.
     */
    readonly holdings: (
      environment: Environment,
      serviceId: ConsumerId,
      atMost?: number
    ) => Effect.Effect<Option.Option<Holdings>, StoreError>

    /** Lists the selected reads, newest first. */
    readonly reads: (filter: ReadFilter, page: PageRequest) => Effect.Effect<Page<IdentityRead>, StoreError>
  }
>()("@surety/core/person/PersonLog") {}
