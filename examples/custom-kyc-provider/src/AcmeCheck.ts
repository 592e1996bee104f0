/** Fields of Acme's check response that the adapter uses. */
export interface AcmeCheck {
  readonly checkId: string
  readonly state: string
  /** Rejection code, such as `RECORD_NOT_FOUND`. */
  readonly code?: string
  /** Whether each value matches the person's record. `null` or absent if Acme did not compare it. */
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

/** Checks the types of `AcmeCheck`'s fields. The adapter reports any other response as `UNRECOGNISED`. */
export const isAcmeCheck = (value: unknown): value is AcmeCheck =>
  isObject(value) &&
  typeof value.checkId === "string" &&
  typeof value.state === "string" &&
  (value.code === undefined || typeof value.code === "string") &&
  (value.matches === undefined || isMatches(value.matches))
