import type { SecondOperatorRequired } from "@surety/core/operator/approval/ApprovalError"
import { problem } from "../problem/Problem.js"
import type { RefusedAs } from "../problem/Refusal.js"

/**
 * Refusal of a change that needs a second operator. Returned if an operator tries to approve their own proposal.
 * Returned for a direct change only if `FOUR_EYES_HTTP` also applies the four-eyes rule to the HTTP API.
 */
export const secondOperatorNeeded: RefusedAs<SecondOperatorRequired> = {
  codes: ["operator_forbidden"],
  problem: () =>
    problem("operator_forbidden", {
      detail:
        "This change needs a second operator. Propose it in the console or with POST /operator/proposals; another operator decides."
    })
}
