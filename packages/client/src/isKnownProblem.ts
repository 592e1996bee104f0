import { type KnownProblem, problemClasses } from "./Problems.generated.js"
import { ServiceProblem } from "./ServiceProblem.js"

/**
 * Whether what was thrown is a problem whose code this version of the client knows: then a `switch` over `code` can
 * be exhaustive. Newer codes come as the class of their status.
 */
export const isKnownProblem = (error: unknown): error is KnownProblem =>
  error instanceof ServiceProblem && Object.hasOwn(problemClasses, error.code)
