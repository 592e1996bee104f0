import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { PlatformEvent } from "../event/PlatformEvent.js"
import type { RightsRequestId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { RightsRequest, RightsRequestEnd, RightsRequestStatus } from "./RightsRequest.js"

/** How the operator closes a request. */
export interface RightsRequestClosing {
  readonly environment: Environment
  readonly id: RightsRequestId
  readonly status: RightsRequestEnd
  readonly closedAt: DateTime.Utc
  readonly closedBy: string
}

/** A request that is closed. */
export interface ClosedRightsRequest {
  readonly request: RightsRequest
  /** Whether this call closed it. */
  readonly isNew: boolean
}

/** The rights that people have asked for on their page (contract 17). */
export class RightsRequestStore extends Context.Service<
  RightsRequestStore,
  {
    /**
     * Stores an open request and returns it. If one of that person and kind is open, returns that one and stores
     * nothing: under any concurrency a person has one open request of a kind. None if there is no such person. The
     * event is kept for the platform in the commit that stores the request, and only then.
     */
    readonly ask: (
      request: RightsRequest,
      event?: PlatformEvent
    ) => Effect.Effect<Option.Option<RightsRequest>, StoreError>

    /** The request of this id, if it is of this environment. */
    readonly find: (
      environment: Environment,
      id: RightsRequestId
    ) => Effect.Effect<Option.Option<RightsRequest>, StoreError>

    /** Oldest first, so that the next deadline comes first. An undefined status does not filter. */
    readonly list: (
      environment: Environment,
      status: RightsRequestStatus | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<RightsRequest>, StoreError>

    /** Closes an open request, once. One closed already is returned unchanged; none if missing. */
    readonly close: (closing: RightsRequestClosing) => Effect.Effect<Option.Option<ClosedRightsRequest>, StoreError>
  }
>()("@surety/core/person/RightsRequestStore") {}
