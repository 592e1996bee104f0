import type { StoreError } from "@surety/core/StoreError"
import { Problem, problem } from "./Problem.js"
import type { ProblemCode } from "./ProblemCode.js"

/** An error, identified by its tag. */
export interface Tagged {
  readonly _tag: string
}

/** How an error becomes a problem, if a code alone is not enough. */
export interface RefusedAs<E> {
  /** Every code that it may become, for the documents. */
  readonly codes: ReadonlyArray<ProblemCode>
  problem(error: E): Problem
  /** Set if the failure is ours or an adapter's: the line to log. */
  log?(error: E): string
}

export type Refusal<E> = ProblemCode | RefusedAs<E>

/** The refusal of each error of `E`, by its tag. */
export type Refusals<E extends Tagged> = {
  readonly [Tag in E["_tag"]]: Refusal<Extract<E, { readonly _tag: Tag }>>
}

/** Any route's refusals, for readers that only need the codes. */
export type AnyRefusals = Readonly<Record<string, Refusal<never>>>

/** The errors that a route must map. Problems need no mapping, and storage failures have one for all routes. */
export type Mapped<E> = Exclude<E, Problem | StoreError>

const refusedAs = (refusal: Refusal<never>): RefusedAs<never> =>
  typeof refusal === "string" ? { codes: [refusal], problem: () => problem(refusal) } : refusal

/** Every code that the refusals may become. */
export const codesOfRefusals = (refusals: AnyRefusals): ReadonlyArray<ProblemCode> =>
  Object.values(refusals).flatMap((refusal) => refusedAs(refusal).codes)

/** `Retry-After`, in seconds. */
export const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({ "retry-after": String(seconds) })

const retrySeconds = 5

/** Applies to every route, so every route documents its codes. */
const storeFailed: RefusedAs<StoreError> = {
  codes: ["service_unavailable", "internal_error"],
  problem: ({ isRetryable }) =>
    isRetryable ? problem("service_unavailable", { headers: retryAfter(retrySeconds) }) : problem("internal_error"),
  log: ({ message }) => message
}

/** A problem, and the line to log if the failure is not the caller's. */
export interface Refused {
  readonly problem: Problem
  readonly log: string | undefined
}

/** The problem of an error. An error without a refusal is `internal_error`. */
export const refusedBy = <E extends Tagged>(refusals: Refusals<Mapped<E>>, error: E): Refused => {
  if (error instanceof Problem) return { problem: error, log: undefined }
  const byTag: Readonly<Record<string, Refusal<never>>> = { ...refusals, StoreError: storeFailed }
  const refusal = byTag[error._tag]
  // The types are exhaustive, but an adapter may still fail with an error that its types do not declare.
  if (refusal === undefined) return { problem: problem("internal_error"), log: `Unexpected error ${error._tag}` }
  const { log, problem: problemOf }: RefusedAs<E> = refusedAs(refusal)
  return { problem: problemOf(error), log: log?.(error) }
}

/** For an error that states after how many seconds to retry. */
export const retryLater = (code: ProblemCode): RefusedAs<{ readonly retryAfterSeconds: number }> => ({
  codes: [code],
  problem: ({ retryAfterSeconds }) => problem(code, { headers: retryAfter(retryAfterSeconds) })
})

/** For an error that contains the rule's refusal as `reason`, which `reasons` maps. */
export const byReason = <R extends Tagged>(reasons: Refusals<R>): RefusedAs<{ readonly reason: R }> => ({
  codes: codesOfRefusals(reasons),
  problem: ({ reason }) => refusedBy<R>(reasons, reason).problem
})

/** For a part of the platform that is down: the caller should retry, and the failure is logged. */
export const unavailable = <E>(
  code: "service_unavailable" | "directory_unavailable" | "not_ready",
  log: (error: E) => string
): RefusedAs<E> => ({
  codes: [code],
  problem: () => problem(code, { headers: retryAfter(retrySeconds) }),
  log
})

/** For an error that only a race can cause on this route: mapped as elsewhere, but not documented. */
export const undocumented = <E>(refusal: Refusal<E>): RefusedAs<E> => ({ ...refusedAs(refusal), codes: [] })
