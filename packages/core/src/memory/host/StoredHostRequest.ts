import type { DateTime } from "effect"
import type { HostRequest, HostRequestPayload } from "../../host/HostRequest.js"

export interface StoredHostRequest {
  readonly request: HostRequest
  /** Undefined once the request has ended. */
  readonly payload: HostRequestPayload | undefined
  /**
   * The person named in the payload. Undefined once the person is erased, or once the request has ended if no such
   * person exists.
   */
  readonly about: { readonly userId: unknown; readonly environment: unknown } | undefined
  /**
   * The request as a string, to compare with another request with the same key. Empty once the person is erased.
   * Replaced by its hash if the request ends and names no existing person.
   */
  readonly text: string
  /** Position in the order of queueing. */
  readonly place: number
  readonly dueAt: DateTime.Utc
  readonly leasedUntil: DateTime.Utc | undefined
  readonly fence: number
}
