/**
 * Reject with this error only if nothing was submitted or charged. Surety then repeats the submission, perhaps at the
 * route's next provider. A one-time code may be entered again. After any other rejected submission Surety looks the
 * verification up, if possible, before it submits again. Submissions cost money. `reason` is a code, such as
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

  constructor(reason: string) {
    super(`The verification was not submitted: ${reason}`)
    this.name = "NotSubmitted"
    this.reason = reason
  }
}
