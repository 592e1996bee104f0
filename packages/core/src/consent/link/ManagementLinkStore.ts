import { Context, type DateTime, type Effect, type Option } from "effect"
import type { StoreError } from "../../StoreError.js"
import type { ConsentTokenHash } from "./ConsentToken.js"
import type { ManagementLink } from "./ManagementLink.js"

/** Storage of management links. `ConsentStore.decide` stores those that a decision creates. */
export class ManagementLinkStore extends Context.Service<
  ManagementLinkStore,
  {
    /**
     * Stores the link. A no-op if one with the same token exists. Returns false and stores nothing if the person does
     * not exist, for example after an erasure.
     */
    readonly keep: (link: ManagementLink) => Effect.Effect<boolean, StoreError>

    /** Finds the link as stored, expired or not. */
    readonly find: (tokenHash: ConsentTokenHash) => Effect.Effect<Option.Option<ManagementLink>, StoreError>

    /** Deletes up to `limit` links that expired before `expiredBefore`. Returns the count. */
    readonly forget: (expiredBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/link/ManagementLinkStore") {}
