import type { Environment } from "@surety/core/Environment"
import { type MerchantId, ProposalId } from "@surety/core/Ids"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { Proposal } from "@surety/core/operator/approval/Proposal"
import { type ProposalDecision, ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import type { StoreError } from "@surety/core/StoreError"
import { Context, DateTime, Effect, Option, Schema } from "effect"
import type { CellName } from "../Cells.js"
import type { NamedRecord } from "../directory/CellDirectory.js"
import * as Commit from "./Commit.js"
import { latestFirst, makeMergePages } from "./mergePages.js"
import type { Router } from "./Router.js"

const proposalsOf = Context.get(ProposalStore)

const isProposalId = Schema.is(ProposalId)

/** Returns the name under which the directory records a key's use in an environment. */
const nameOf = (environment: Environment, idempotencyKey: IdempotencyKey): string =>
  JSON.stringify(["proposal", environment, idempotencyKey])

const merchantOf = ({ command }: Pick<Proposal, "command">): MerchantId | undefined =>
  command._tag === "Transfer" ? command.merchantId : undefined

/**
 * A proposal is in its merchant's cell, or in the home cell if it has no merchant. `carryOut` runs the change as a
 * commit of that cell, and marks the proposal as approved in the same commit.
 */
export const proposalStore = (router: Router): ProposalStore["Service"] => {
  const { at, cellOf, directory, home, searchOwn } = router
  const mergePages = makeMergePages(router)

  const cellOfOwner = (id: MerchantId | undefined): Effect.Effect<CellName, StoreError> =>
    id === undefined ? Effect.succeed(home) : cellOf(id)

  const found = ({ environment, id }: Pick<ProposalDecision, "environment" | "id">) =>
    searchOwn("ProposalStore.find", (proposal: Proposal) => merchantOf(proposal))((stores) =>
      proposalsOf(stores).find(environment, id)
    )

  const decidedIn = (decision: ProposalDecision) =>
    Effect.map(
      found(decision),
      Option.match({ onNone: () => home, onSome: ([cell]: readonly [CellName, Proposal]) => cell })
    )

  /** Returns the proposal that `named` refers to, with its cell. `None` if that cell has not stored the proposal. */
  const namedIn = Effect.fnUntraced(function* (environment: Environment, named: Option.Option<NamedRecord>) {
    if (Option.isNone(named) || !isProposalId(named.value.id)) return Option.none()
    const { id, merchantId } = named.value
    const holder = yield* cellOfOwner(merchantId)
    const stored = yield* at(holder, "ProposalStore.find")((stores) => proposalsOf(stores).find(environment, id))
    return Option.map(stored, (proposal) => ({ holder, proposal }))
  })

  return {
    // Runs in the key's turn, so any previous use of the key is already stored or never will be. The directory records
    // each use before a cell stores it.
    propose: (plan) =>
      Effect.gen(function* () {
        const { environment, command, id } = plan.proposal
        const merchantId = merchantOf({ command })
        const cell = yield* cellOfOwner(merchantId)
        yield* Commit.writesTo(cell)
        const name = nameOf(environment, plan.idempotencyKey)
        const proposeIn = (chosen: CellName) =>
          at(chosen, "ProposalStore.propose")((stores) => proposalsOf(stores).propose(plan))
        return yield* Commit.inTurn(
          directory,
          name
        )(
          Effect.gen(function* () {
            const named = yield* directory.findNamed(name)
            const earlier = yield* namedIn(environment, named)
            if (Option.isSome(earlier)) return yield* proposeIn(earlier.value.holder)
            yield* directory.name(name, { merchantId, id })
            return yield* proposeIn(cell)
          })
        )
      }),
    find: (environment, id) =>
      Effect.map(
        found({ environment, id }),
        Option.map(([, proposal]) => proposal)
      ),
    findByKey: (environment, idempotencyKey) =>
      directory.findNamed(nameOf(environment, idempotencyKey)).pipe(
        Effect.flatMap((named) => namedIn(environment, named)),
        Effect.map(Option.map(({ proposal }) => proposal))
      ),
    list: (filter, page) =>
      mergePages(
        "ProposalStore.list",
        latestFirst(
          ({ proposedAt }: Proposal) => DateTime.toEpochMillis(proposedAt),
          ({ id }: Proposal) => id
        ),
        page,
        (stores, part) => proposalsOf(stores).list(filter, part)
      ),
    carryOut: (decision, change) =>
      Effect.scoped(
        Effect.gen(function* () {
          const cell = yield* decidedIn(decision)
          const turns = yield* Commit.turnsOf(directory)
          return yield* Commit.within(
            cell,
            turns
          )(
            at(
              cell,
              "ProposalStore.carryOut"
            )((stores) => proposalsOf(stores).carryOut(decision, (proposal) => Commit.restarted(change(proposal))))
          )
        })
      ),
    begin: (decision) =>
      Effect.flatMap(decidedIn(decision), (cell) =>
        at(cell, "ProposalStore.begin")((stores) => proposalsOf(stores).begin(decision))
      ),
    refuse: (decision, refusal, begun) =>
      Effect.flatMap(decidedIn(decision), (cell) =>
        at(cell, "ProposalStore.refuse")((stores) => proposalsOf(stores).refuse(decision, refusal, begun))
      )
  }
}
