import { type KnownProblem, problemClasses } from "./Problems.generated.js"
import { ServiceProblem } from "./ServiceProblem.js"

/**
 * Returns true if the error is a problem with a code known to this version of the client. This lets a `switch` over
 * `code` be exhaustive. A problem with a newer code is an instance of its status's class, such as `Conflict`.
 *
 * @example
 * import { isKnownProblem } from "@surety/client"
 *
 * try {
 *   await client.refunds.create({ transaction_id: "payment_01h455vb4pex5vsknk084sn02q", amount: 1000 })
 * } catch (error) {
 *   if (!isKnownProblem(error)) throw error
 *   console.log(error.code) // payment_not_found
 * }
 */
export const isKnownProblem = (error: unknown): error is KnownProblem =>
  error instanceof ServiceProblem && Object.hasOwn(problemClasses, error.code)
