import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { PlatformEvent } from "../event/PlatformEvent.js"
import type { RightsRequestId } from "../Ids.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { RightsRequest, RightsRequestEnd, RightsRequestStatus } from "./RightsRequest.js"

export interface RightsRequestClosing {
  readonly environment: Environment
  readonly id: RightsRequestId
  readonly status: RightsRequestEnd
  readonly closedAt: DateTime.Utc
  readonly closedBy: string
}

export interface ClosedRightsRequest {
  readonly request: RightsRequest
  /** True if this call closed the request. */
  readonly isNew: boolean
}

/**
 * Stores people's requests to exercise their rights (contract 17). People make them on their own page, or the operator
 * or the host records them.
 */
export class RightsRequestStore extends Context.Service<
  RightsRequestStore,
  {
    /**
     * Stores an open request and returns it. If the person already has an open request of that kind, returns that one
     * and stores nothing. Under any concurrency, a person has at most one open request per kind. Returns `None` if the
     * person is unknown or erased. The commit that stores the request also queues `event`, if given, for the host.
     */
    readonly ask: (
      request: RightsRequest,
      event?: PlatformEvent
    ) => Effect.Effect<Option.Option<RightsRequest>, StoreError>

    /** Finds the request with this id, open or closed. */
    readonly find: (
      environment: Environment,
      id: RightsRequestId
    ) => Effect.Effect<Option.Option<RightsRequest>, StoreError>

    /** Lists requests, oldest first, so the earliest deadline comes first. An undefined `status` does not filter. */
    readonly list: (
      environment: Environment,
      status: RightsRequestStatus | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<RightsRequest>, StoreError>

    /** Closes a request, or returns an already closed one unchanged. `None` if the request does not exist. */
    readonly close: (closing: RightsRequestClosing) => Effect.Effect<Option.Option<ClosedRightsRequest>, StoreError>
  }
>()("@surety/core/person/RightsRequestStore") {}
