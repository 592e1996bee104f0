/** Fields of Acme's check record that the adapter uses. */
export interface AcmeCheck {
  readonly checkId: string
  readonly state: string
  /** Why a check was rejected. */
  readonly code?: string
  /** Comparison of each submitted value with the record; `null` if Acme could not compare it. */
  readonly matches?: {
    readonly firstName?: boolean | null
    readonly lastName?: boolean | null
    readonly birthday?: boolean | null
    readonly face?: boolean | null
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const isMatches = (value: unknown): boolean =>
  isObject(value) &&
  ["firstName", "lastName", "birthday", "face"].every((name) => typeof (value[name] ?? true) === "boolean")

/** True if a response has the form Acme documents. No other response is trusted. */
export const isAcmeCheck = (value: unknown): value is AcmeCheck =>
  isObject(value) &&
  typeof value.checkId === "string" &&
  typeof value.state === "string" &&
  (value.code === undefined || typeof value.code === "string") &&
  (value.matches === undefined || isMatches(value.matches))
