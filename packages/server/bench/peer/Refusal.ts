/** Error that the server sends as an RFC 9457 problem. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  /** Extension members of the problem besides `code` and `requestId`. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, detail: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.facts = facts
  }
}
