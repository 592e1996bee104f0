import { inBody } from "./Fault.js"
import { type Problem, problemOfFaults } from "./Problem.js"

/** A field names a consumer that the environment does not have. */
export const problemOfConsumer = (field: string): Problem =>
  problemOfFaults([inBody([field], "consumer_not_found", "There is no such consumer in this environment.")])
