/** Optional details of a `NotSubmitted`: whether the provider was contacted, and whether it refused. */
export interface NotSubmittedOptions {
  /**
   * Set this if the adapter did not contact the provider, for example because another process has the call's data. The
   * error then does not count as a failure of the provider, so it does not open the circuit breaker.
   */
  readonly isLocal?: boolean
  /**
   * For `submit`: set this if the provider answered, refused the submission's content and would refuse it again. The
   * error then does not count as a failure of the provider. Surety does not submit to this provider again, but may
   * submit to the route's next provider. If all refuse, the verification ends as `ERROR` with this `reason`.
   */
  readonly isRefusal?: boolean
}

/**
 * Reject with this error only if nothing was submitted or charged, because submissions cost money. Surety may then
 * submit again, perhaps to the route's next provider, and a one-time code may be entered again. After any other
 * rejection, Surety submits a verification again only if a lookup by Surety's reference does not find it. If no such
 * lookup is possible, it submits again only to a provider that recognises repeats. `reason` is a code, such as
 * `connection_refused`.
 *
 * @example
 * import { NotSubmitted } from "@surety/embed"
 *
 * const expectTaken = (status: number): void => {
 *   if (status === 429) throw new NotSubmitted("rate_limited")
 * }
 */
export class NotSubmitted extends Error {
  readonly reason: string
  readonly isLocal: boolean
  readonly isRefusal: boolean

  constructor(reason: string, { isLocal = false, isRefusal = false }: NotSubmittedOptions = {}) {
    super(`The verification was not submitted: ${reason}`)
    this.name = "NotSubmitted"
    this.reason = reason
    this.isLocal = isLocal
    this.isRefusal = isRefusal
  }
}
