import { type KnownProblem, problemClasses } from "./Problems.generated.js"
import { ServiceProblem } from "./ServiceProblem.js"

/**
 * Whether an error is a problem with a code that this version of the client knows, so that a `switch` over `code` can
 * be exhaustive. Newer codes have the class of their status.
 */
export const isKnownProblem = (error: unknown): error is KnownProblem =>
  error instanceof ServiceProblem && Object.hasOwn(problemClasses, error.code)
