/** The fields of Acme's record of a check that are used. */
export interface AcmeCheck {
  readonly checkId: string
  readonly state: string
  /** Why a check was rejected. */
  readonly code?: string
  /** How the submitted values compare; null if Acme could not tell. */
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

/** Whether an answer has the form that Acme documents. Any other is not relied on. */
export const isAcmeCheck = (value: unknown): value is AcmeCheck =>
  isObject(value) &&
  typeof value.checkId === "string" &&
  typeof value.state === "string" &&
  (value.code === undefined || typeof value.code === "string") &&
  (value.matches === undefined || isMatches(value.matches))
