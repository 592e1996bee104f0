import { Predicate } from "effect"

const deepest = 8

/**
 * Follows an error's `reason` or `cause`, at most eight levels down. Returns the innermost error's message, such as
 * `connect ECONNREFUSED 127.0.0.1:5432`, or that error as a string if it has no message.
 */
export const innermostMessage = (error: unknown): string => {
  let current = error
  for (let depth = 0; depth < deepest; depth += 1) {
    const inner =
      Predicate.hasProperty(current, "reason") && Predicate.isObject(current.reason)
        ? current.reason
        : Predicate.hasProperty(current, "cause") && Predicate.isObject(current.cause)
          ? current.cause
          : undefined
    if (inner === undefined) break
    current = inner
  }
  const message = Predicate.hasProperty(current, "message") ? current.message : undefined
  return typeof message === "string" && message !== "" ? message : String(current)
}
