/** Why a request is not fulfilled, as RFC 9457 tells it. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  /** Further members of the problem. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, detail: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.facts = facts
  }
}
