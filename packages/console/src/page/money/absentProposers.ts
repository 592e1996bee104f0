import { isSameOperator, type Proposal, statusAt } from "@surety/core/operator/approval/Proposal"
import { soleOperator } from "@surety/core/operator/Operator"
import { OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import { OperatorSessions } from "@surety/core/operator/session/OperatorSessions"
import { Effect } from "effect"
import type { PageView } from "../ConsolePage.js"

const sessionsLookedAt = 20

const atOnce = 4

/**
 * Finds proposers of open proposals who may have left. They have no token now and no active session that began without
 * one. A session that began with a token ends with it. An identity provider is queried only at sign-in, so its users
 * are known only by their sessions.
 */
export const absentProposers = Effect.fnUntraced(function* ({ now }: PageView, proposals: ReadonlyArray<Proposal>) {
  const { operators = [], operatorToken } = yield* OperatorTokens
  const sessions = yield* OperatorSessions
  const named = [...operators, ...(operatorToken === undefined ? [] : [soleOperator])]
  const open = proposals.filter((proposal) => statusAt(proposal, now) === "OPEN").map(({ proposedBy }) => proposedBy)
  const unknown = [...new Set(open)].filter((proposer) => !named.some(({ name }) => isSameOperator(name, proposer)))
  const absent = yield* Effect.filter(
    unknown,
    (proposer) =>
      Effect.map(sessions.list(proposer, { limit: sessionsLookedAt, cursor: undefined }), ({ data }) =>
        data.every(({ signedInBy }) => signedInBy === "TOKEN")
      ),
    { concurrency: atOnce }
  )
  return new Set(absent)
})
