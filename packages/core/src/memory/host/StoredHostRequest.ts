import type { DateTime } from "effect"
import type { HostRequest, HostRequestPayload } from "../../host/HostRequest.js"

/** A request of the host's with the store's own data. */
export interface StoredHostRequest {
  readonly request: HostRequest
  /** Absent once it has ended. */
  readonly payload: HostRequestPayload | undefined
  /** Whom the payload names, until they are erased. */
  readonly about: { readonly userId: unknown; readonly environment: unknown } | undefined
  /** What another request with the same key is compared with; its hash if it names no person. */
  readonly text: string
  /** Its place in the order in which requests were queued. */
  readonly place: number
  readonly dueAt: DateTime.Utc
  readonly leasedUntil: DateTime.Utc | undefined
  readonly fence: number
}
