import { problem } from "../problem/Problem.js"

const environmentToo = "and the environment, which is LIVE unless you name TEST."

/**
 * Problems of the operator's routes that find no record. The advice of these codes is for merchants, whose key decides
 * the environment. An operator has no key, and finds some records in either environment.
 */
export const operatorNotFound = {
  /** For a consumer in the path. An unknown consumer in a body gets 400. */
  consumer: problem("consumer_not_found", {
    status: 404,
    detail: `Check the consumer identifier ${environmentToo}`
  }),
  event: problem("event_not_found", { detail: `Check the event's id ${environmentToo}` }),
  refund: problem("refund_not_found", { detail: "Check the refund's id." }),
  dataRequest: problem("data_request_not_found", { detail: "Check the data request's id." }),
  grant: problem("grant_not_found", { detail: "Check the grant's id." })
} as const
