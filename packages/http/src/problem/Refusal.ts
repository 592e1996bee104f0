import type { StoreError } from "@surety/core/StoreError"
import { Problem, problem } from "./Problem.js"
import type { ProblemCode } from "./ProblemCode.js"

export interface Tagged {
  readonly _tag: string
}

/** The mapping of an error to a problem, if a code alone does not suffice. */
export interface RefusedAs<E> {
  /** The codes that the API's documentation lists for the error. */
  readonly codes: ReadonlyArray<ProblemCode>
  problem(error: E): Problem
  /** Returns the line to log. Defined only if the caller is not at fault. */
  log?(error: E): string
}

export type Refusal<E> = ProblemCode | RefusedAs<E>

export type Refusals<E extends Tagged> = {
  readonly [Tag in E["_tag"]]: Refusal<Extract<E, { readonly _tag: Tag }>>
}

/** Refusals of any route, for functions that need only their codes. */
export type AnyRefusals = Readonly<Record<string, Refusal<never>>>

/** The errors that a route must map. Problems need no mapping, and storage failures are mapped once for all routes. */
export type Mapped<E> = Exclude<E, Problem | StoreError>

const refusedAs = (refusal: Refusal<never>): RefusedAs<never> =>
  typeof refusal === "string" ? { codes: [refusal], problem: () => problem(refusal) } : refusal

export const codesOfRefusals = (refusals: AnyRefusals): ReadonlyArray<ProblemCode> =>
  Object.values(refusals).flatMap((refusal) => refusedAs(refusal).codes)

export const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({ "retry-after": String(seconds) })

const retrySeconds = 5

/** The mapping for a storage failure. Every API route documents both codes, because storage can fail on any of them. */
const storeFailed: RefusedAs<StoreError> = {
  codes: ["service_unavailable", "internal_error"],
  problem: ({ isRetryable }) =>
    isRetryable ? problem("service_unavailable", { headers: retryAfter(retrySeconds) }) : problem("internal_error"),
  log: ({ message }) => message
}

export interface Refused {
  readonly problem: Problem
  readonly log: string | undefined
}

/** Returns the problem of an error, and the line to log, if any. An unexpected error is `internal_error`. */
export const refusedBy = <E extends Tagged>(refusals: Refusals<Mapped<E>>, error: E): Refused => {
  if (error instanceof Problem) return { problem: error, log: undefined }
  const byTag: Readonly<Record<string, Refusal<never>>> = { ...refusals, StoreError: storeFailed }
  const refusal = byTag[error._tag]
  // The types are exhaustive, but an adapter may still fail with an error that its types do not declare.
  if (refusal === undefined) return { problem: problem("internal_error"), log: `Unexpected error ${error._tag}` }
  const { log, problem: problemOf }: RefusedAs<E> = refusedAs(refusal)
  return { problem: problemOf(error), log: log?.(error) }
}

export const retryLater = (code: ProblemCode): RefusedAs<{ readonly retryAfterSeconds: number }> => ({
  codes: [code],
  problem: ({ retryAfterSeconds }) => problem(code, { headers: retryAfter(retryAfterSeconds) })
})

/** Builds the mapping for an error whose `reason` is a refusal by one of core's rules. */
export const byReason = <R extends Tagged>(reasons: Refusals<R>): RefusedAs<{ readonly reason: R }> => ({
  codes: codesOfRefusals(reasons),
  problem: ({ reason }) => refusedBy<R>(reasons, reason).problem
})

/**
 * Builds the mapping for an error that is not the caller's fault, such as an outage of a dependency. The error is
 * logged, and `Retry-After` is 5 seconds.
 */
export const unavailable = <E>(
  code: "service_unavailable" | "directory_unavailable" | "not_ready",
  log: (error: E) => string
): RefusedAs<E> => ({
  codes: [code],
  problem: () => problem(code, { headers: retryAfter(retrySeconds) }),
  log
})

/** Builds the mapping to one problem, for an error whose code has another detail on this route. */
export const always = (refused: Problem): RefusedAs<unknown> => ({ codes: [refused.code], problem: () => refused })

/**
 * Builds the mapping for an error that cannot occur on this route, or only in a race. It maps to the problem of
 * `refusal`, but documents no code.
 */
export const undocumented = <E>(refusal: Refusal<E>): RefusedAs<E> => ({ ...refusedAs(refusal), codes: [] })
