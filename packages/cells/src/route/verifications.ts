import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import type { UserId } from "@surety/core/Ids"
import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import { KycStore } from "@surety/core/kyc/KycStore"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { PersonLog } from "@surety/core/person/PersonLog"
import { Context, DateTime, Effect, Option } from "effect"
import type { CellName } from "../Cells.js"
import type { PersonKey } from "../directory/CellDirectory.js"
import { latestFirst, makeMergePages } from "./mergePages.js"
import type { People } from "./People.js"
import type { Router } from "./Router.js"

const kycOf = Context.get(KycStore)
const logOf = Context.get(VerificationLog)
const personLogOf = Context.get(PersonLog)
const consumersOf = Context.get(ConsumerStore)

const withoutCell = Option.map(<A>([, found]: readonly [unknown, A]): A => found)

const byTime = (one: KycEvidence, other: KycEvidence): number =>
  DateTime.toEpochMillis(one.provedAt) - DateTime.toEpochMillis(other.provedAt) ||
  (one.verificationId < other.verificationId ? -1 : 1)

/**
 * A verification is in its merchant's cell. Its proof changes the person in the home cell and in every other cell that
 * has a copy.
 */
export const kycStore = (router: Router, people: People): KycStore["Service"] => {
  const { at, atHome, cellOf, directory, gather, gatherCount, home, of, search } = router

  /** Reads evidence about the person from the home cell and every cell with a copy of the person, except `cell`. */
  const evidenceElsewhere = Effect.fnUntraced(function* (cell: CellName, environment: Environment, userId: UserId) {
    const found = yield* atHome("KycStore.settle")((stores) =>
      consumersOf(stores).list(environment, { limit: 1, cursor: undefined }, { userId })
    )
    const [consumer] = found.data
    if (consumer === undefined) return []
    const others = [...new Set([home, ...(yield* directory.copies({ environment, userId }))])].filter(
      (other) => other !== cell
    )
    const held = yield* Effect.forEach(others, (other) =>
      at(other, "KycStore.settle")((stores) => personLogOf(stores).holdings(environment, consumer.serviceId))
    )
    return held.flatMap((holdings) => (Option.isSome(holdings) ? holdings.value.evidence : []))
  })

  const settle: KycStore["Service"]["settle"] = (progress) =>
    Effect.gen(function* () {
      const { environment, merchantId, userId } = progress.leased.verification
      const { proof } = progress
      const cell = yield* cellOf(merchantId)
      const inCell = at(cell, "KycStore.settle")
      if (proof === undefined) return yield* inCell((stores) => kycOf(stores).settle(progress))
      return yield* people.change(
        { environment, userId },
        cell,
        Effect.gen(function* () {
          const elsewhere = yield* evidenceElsewhere(cell, environment, userId)
          const whole: typeof proof = {
            ...proof,
            standingOf: (known) =>
              proof.standingOf({ ...known, evidence: [...known.evidence, ...elsewhere].sort(byTime) })
          }
          return yield* inCell((stores) => kycOf(stores).settle({ ...progress, proof: whole }))
        })
      )
    })

  return {
    // A plan may name a different person from the one looked up. If the cell lacks a copy of that person, the first
    // attempt fails. A second attempt follows once the cell has the copy.
    begin: (lookup, decide) =>
      Effect.gen(function* () {
        const { scope, serviceId, userId } = lookup
        const cell = yield* cellOf(scope.merchantId)
        if (userId !== undefined) yield* people.copy(cell, { environment: scope.environment, userId })
        if (serviceId !== undefined) yield* people.copyByServiceId(cell, scope.environment, serviceId)
        let planned: PersonKey | undefined
        const begin = at(
          cell,
          "KycStore.begin"
        )((stores) =>
          kycOf(stores).begin(lookup, (snapshot) => {
            const decision = decide(snapshot)
            planned = decision._tag === "Execute" ? decision.plan.verification : undefined
            return decision
          })
        )
        return yield* Effect.catchTag(begin, "StoreError", (error) =>
          Effect.gen(function* () {
            if (planned === undefined || (yield* people.hasCopy(cell, planned))) return yield* Effect.fail(error)
            yield* people.copy(cell, planned)
            return yield* begin
          })
        )
      }),
    find: (scope, reference) => of(scope.merchantId, "KycStore.find")((stores) => kycOf(stores).find(scope, reference)),
    claim: (claim) =>
      gather("KycStore.claim")(claim.limit, (stores, limit) => kycOf(stores).claim({ ...claim, limit })),
    lease: (id, now, leasedUntil) =>
      Effect.map(
        search("KycStore.lease")((stores) => kycOf(stores).lease(id, now, leasedUntil)),
        withoutCell
      ),
    leaseCalled: (called, leasedUntil, spared) =>
      Effect.map(
        search("KycStore.leaseCalled")((stores) => kycOf(stores).leaseCalled(called, leasedUntil, spared)),
        withoutCell
      ),
    reroute: (leased, provider, leasedUntil) =>
      of(
        leased.verification.merchantId,
        "KycStore.reroute"
      )((stores) => kycOf(stores).reroute(leased, provider, leasedUntil)),
    settle,
    forgetAnswers: (madeBefore, limit) =>
      gatherCount("KycStore.forgetAnswers")(limit, (stores, rest) => kycOf(stores).forgetAnswers(madeBefore, rest))
  }
}

export const verificationLog = (router: Router): VerificationLog["Service"] => {
  const { of } = router
  const mergePages = makeMergePages(router)
  const order = latestFirst(
    ({ createdAt }: Verification) => DateTime.toEpochMillis(createdAt),
    ({ id }: Verification) => id
  )
  return {
    list: (scope, page) => of(scope.merchantId, "VerificationLog.list")((stores) => logOf(stores).list(scope, page)),
    listAll: (listing, page) =>
      mergePages("VerificationLog.listAll", order, page, (stores, part) => logOf(stores).listAll(listing, part))
  }
}
