import { assert } from "@effect/vitest"
import * as ConsumerId from "@surety/core/consumer/ConsumerId"
import type { Proposal } from "@surety/core/operator/approval/Proposal"
import { type ProposalFilter, ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as PageWalk from "../PageWalk.js"
import { adjustmentOf, day, decisionOn, erasureOf, paying, payoutOf, planOf, sold } from "./FreshProposal.js"

export const listsByStatus = law(
  "lists an environment's proposals newest first, by the status they have at that time",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const sale = yield* sold
    const { createdAt } = sale.payment
    const made = [4, 3, 2, 1].map((age): Proposal => {
      const proposedAt = Fresh.later(createdAt, -age)
      return {
        ...payoutOf(sale),
        proposedAt,
        id: Fresh.proposalId(proposedAt),
        endsAt: Fresh.later(createdAt, day - age)
      }
    })
    for (const each of made) yield* store.propose(planOf(each))
    const [first, second, third, fourth] = made
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) return assert.fail()
    yield* store.refuse(decisionOn(second), "no", "KEEP_BEGUN")
    yield* store.carryOut(decisionOn(third), paying)
    const ids = new Set<string>(made.map(({ id }) => id))
    const everyStatus = { environment: "LIVE", status: undefined, erasureOf: undefined, now: createdAt } as const
    const listed = (filter: Partial<ProposalFilter>, limit: number) =>
      PageWalk.all((page) => store.list({ ...everyStatus, ...filter }, page), limit).pipe(
        Effect.map((all) => all.map(({ id }) => id).filter((id) => ids.has(id)))
      )
    assert.deepStrictEqual(yield* listed({}, 100), [fourth.id, third.id, second.id, first.id])
    assert.deepStrictEqual(yield* listed({ status: "OPEN" }, 2), [fourth.id, first.id])
    assert.deepStrictEqual(yield* listed({ status: "REFUSED" }, 2), [second.id])
    assert.deepStrictEqual(yield* listed({ status: "APPROVED" }, 2), [third.id])
    assert.deepStrictEqual(yield* listed({ status: "EXPIRED" }, 2), [])
    const afterFirst = { now: first.endsAt }
    assert.deepStrictEqual(yield* listed({ ...afterFirst, status: "OPEN" }, 2), [fourth.id])
    assert.deepStrictEqual(yield* listed({ ...afterFirst, status: "EXPIRED" }, 2), [first.id])
    assert.deepStrictEqual(yield* listed({ environment: "TEST" }, 100), [])
    const added = Effect.suspend(() => {
      const at = Fresh.later(createdAt, 1)
      return store.propose(planOf({ ...payoutOf(sale), proposedAt: at, id: Fresh.proposalId(at) }))
    })
    yield* PageWalk.expectNewestFirst(
      (page) => store.list(everyStatus, page),
      ({ id }) => id,
      [fourth.id, third.id, second.id, first.id],
      added
    )
  })
)

export const listsErasures = law(
  "lists the erasures of one person, of any status, and no other change",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const sale = yield* sold
    const serviceId = yield* Fresh.withRandom(ConsumerId.next)
    const other = yield* Fresh.withRandom(ConsumerId.next)
    const [first, second] = [erasureOf(sale, serviceId), erasureOf(sale, serviceId)]
    for (const each of [first, adjustmentOf(sale, serviceId), erasureOf(sale, other), second]) {
      yield* store.propose(planOf(each))
    }
    yield* store.refuse(decisionOn(second), "no", "KEEP_BEGUN")
    const listed = (filter: Partial<ProposalFilter>) =>
      PageWalk.all(
        (page) =>
          store.list(
            { environment: "LIVE", status: undefined, now: first.proposedAt, erasureOf: serviceId, ...filter },
            page
          ),
        1
      ).pipe(Effect.map((all) => all.map(({ id }) => id)))
    assert.deepStrictEqual(yield* listed({}), [second.id, first.id])
    assert.deepStrictEqual(yield* listed({ status: "OPEN" }), [first.id])
    assert.deepStrictEqual(yield* listed({ environment: "TEST" }), [])
  })
)

export const laws = [listsByStatus, listsErasures]
