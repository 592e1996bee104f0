import { isSameOperator, type Proposal, statusAt } from "@surety/core/operator/approval/Proposal"
import { soleOperator } from "@surety/core/operator/Operator"
import { OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import { OperatorSessions } from "@surety/core/operator/session/OperatorSessions"
import { Effect } from "effect"
import type { PageView } from "../ConsolePage.js"

/** How many of a name's sessions are searched. Those of a removed token end automatically. */
const sessionsLookedAt = 20

/** How many names are looked up at a time. */
const atOnce = 4

/**
 * Proposers of open proposals who have neither a token nor a session now: they may have left. At an identity provider
 * more cannot be known, since it is asked only at a sign-in.
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
