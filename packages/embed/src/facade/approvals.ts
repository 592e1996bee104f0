import { Environment } from "@surety/core/Environment"
import { ProposalId } from "@surety/core/Ids"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { ProposalStatus } from "@surety/core/operator/approval/Proposal"
import { toPage } from "@surety/core/Page"
import { DateTime, Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainProposal } from "../record/Approvals.js"
import { pagingFields, readHostPage } from "./input/paging.js"

/**
 * Changes proposed by one operator for another to decide. A host only reads them, for example to notify its staff.
 * Operators decide in the console or over HTTP.
 */
export const approvals = (run: Run) => ({
  /** Newest first. `EXPIRED`: no one decided within 24 hours. */
  list: call(
    run,
    Schema.Struct({ environment: Environment, status: Schema.optionalKey(ProposalStatus), ...pagingFields }),
    ({ environment, status, ...page }) =>
      Effect.gen(function* () {
        const service = yield* Approvals
        const found = yield* readHostPage(["operatorApprovals.listProposals", environment], page, (request) =>
          service.list(environment, status, request)
        )
        return toPage(found, plainProposal(yield* DateTime.now))
      })
  ),

  get: call(run, Schema.Struct({ environment: Environment, proposalId: ProposalId }), ({ environment, proposalId }) =>
    Effect.gen(function* () {
      const found = yield* (yield* Approvals).get(environment, proposalId)
      return plainProposal(yield* DateTime.now)(found)
    })
  )
})
