import { Predicate } from "effect"

const deepest = 8

/**
 * What the innermost cause or reason of an error says, such as `connect ECONNREFUSED 127.0.0.1:5432`: what the errors
 * around it wrap is what whoever starts a server can do something about.
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
