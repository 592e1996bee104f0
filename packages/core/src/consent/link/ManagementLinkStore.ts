import { Context, type DateTime, type Effect, type Option } from "effect"
import type { StoreError } from "../../StoreError.js"
import type { ConsentTokenHash } from "./ConsentToken.js"
import type { ManagementLink } from "./ManagementLink.js"

/** The links on which people revoke consents. Those that a decision makes are stored by `ConsentStore.decide`. */
export class ManagementLinkStore extends Context.Service<
  ManagementLinkStore,
  {
    /**
     * Stores the link. A no-op if one with the same token exists. Returns false, and stores nothing, if there is no such
     * person, who may have been erased since the link was made.
     */
    readonly keep: (link: ManagementLink) => Effect.Effect<boolean, StoreError>

    /** The link as stored, expired or not. */
    readonly find: (tokenHash: ConsentTokenHash) => Effect.Effect<Option.Option<ManagementLink>, StoreError>

    /** Deletes at most `limit` links that expired before that moment. Returns how many. */
    readonly forget: (expiredBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/link/ManagementLinkStore") {}
