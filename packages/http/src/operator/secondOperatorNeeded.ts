import type { SecondOperatorRequired } from "@surety/core/operator/approval/ApprovalError"
import { problem } from "../problem/Problem.js"
import type { RefusedAs } from "../problem/Refusal.js"

/** Occurs only if the deployment also applies four eyes to the HTTP interface (`FOUR_EYES_HTTP`). */
export const secondOperatorNeeded: RefusedAs<SecondOperatorRequired> = {
  codes: ["operator_forbidden"],
  problem: () =>
    problem("operator_forbidden", {
      detail:
        "This change needs a second operator. Propose it in the console or with POST /operator/proposals; another operator decides."
    })
}
