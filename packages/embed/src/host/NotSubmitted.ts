/**
 * Reject with this error only if nothing was submitted or charged. Surety then submits again, or submits to the route's
 * next provider. After any other rejection Surety calls `lookup` first, because submissions cost money. `reason` is a
 * code, such as `connection_refused`.
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

  constructor(reason: string) {
    super(`The verification was not submitted: ${reason}`)
    this.name = "NotSubmitted"
    this.reason = reason
  }
}
