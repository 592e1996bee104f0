import { Context, type DateTime, type Effect, type Option } from "effect"
import type { StoreError } from "../../StoreError.js"
import type { ConsentTokenHash } from "./ConsentToken.js"
import type { ManagementLink } from "./ManagementLink.js"

/** The links with which people take consents back. */
export class ManagementLinkStore extends Context.Service<
  ManagementLinkStore,
  {
    /** Stores the link. One with the same token that is there already stays as it is: of any number at once, one is kept. */
    readonly keep: (link: ManagementLink) => Effect.Effect<void, StoreError>

    /** The link as stored, expired or not. */
    readonly find: (tokenHash: ConsentTokenHash) => Effect.Effect<Option.Option<ManagementLink>, StoreError>

    /** Deletes at most `limit` links that expired before that moment. Answers how many there were. */
    readonly forget: (expiredBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/link/ManagementLinkStore") {}
