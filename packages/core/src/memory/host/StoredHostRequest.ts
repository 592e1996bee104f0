import type { DateTime } from "effect"
import type { HostRequest, HostRequestPayload } from "../../host/HostRequest.js"

/** A host's request with the store's own data. */
export interface StoredHostRequest {
  readonly request: HostRequest
  /** Undefined once the request has ended. */
  readonly payload: HostRequestPayload | undefined
  /** The person named by the payload, until their erasure. */
  readonly about: { readonly userId: unknown; readonly environment: unknown } | undefined
  /** Text for comparison with another request of the same key. Replaced by its hash if it names no person. */
  readonly text: string
  /** Position in the order of queueing. */
  readonly place: number
  readonly dueAt: DateTime.Utc
  readonly leasedUntil: DateTime.Utc | undefined
  readonly fence: number
}
