import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import type { MerchantId, UserId } from "@surety/core/Ids"
import type { Money } from "@surety/core/Money"
import type { ErasurePlan } from "@surety/core/person/decideErasure"
import type { ErasureSnapshot, HeldPerson, Remains } from "@surety/core/person/HeldPerson"
import type { Holdings } from "@surety/core/person/Holdings"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import { Context, DateTime, Effect, Option } from "effect"
import type { CellName } from "../Cells.js"
import { personTurn } from "../directory/CellDirectory.js"
import * as Commit from "./Commit.js"
import { latestFirst, makeMergePages } from "./mergePages.js"
import { makeOwnRecordsOnly } from "./OwnRecords.js"
import type { People } from "./People.js"
import type { Router } from "./Router.js"

const personsOf = Context.get(PersonStore)
const logOf = Context.get(PersonLog)

/** Replaces the planned pseudonym with the directory's pseudonym in the event's body. */
const renamed = <A extends { readonly event: DomainEvent }>(end: A, planned: UserId, pseudonym: UserId): A => ({
  ...end,
  event: {
    ...end.event,
    body: end.event.body.replaceAll(`"userId":${JSON.stringify(planned)}`, `"userId":${JSON.stringify(pseudonym)}`)
  }
})

/** The person's own record is in the home cell. A merchant's records about the person are in the merchant's cell. */
export const personStore = (router: Router, people: People): PersonStore["Service"] => {
  const { all, at, atHome, cellOf, directory, home } = router
  const ownRecordsOnly = makeOwnRecordsOnly(router)

  const find: PersonStore["Service"]["find"] = (environment, serviceId) =>
    atHome("PersonStore.find")((stores) => personsOf(stores).find(environment, serviceId))

  const cellsOf = (person: Pick<HeldPerson, "environment" | "userId">) =>
    Effect.map(
      directory.copies(person),
      (copies): ReadonlyArray<CellName> => [...copies.filter((cell) => cell !== home), home]
    )

  const partOf = Effect.fnUntraced(function* (plan: ErasurePlan, cell: CellName) {
    const inCell = <A>(records: ReadonlyArray<A>, merchantOf: (record: A) => MerchantId) =>
      Effect.filter(records, (record) => Effect.map(cellOf(merchantOf(record)), (found) => found === cell))
    const part: ErasurePlan = {
      ...plan,
      ends: yield* inCell(plan.ends, ({ grant }) => grant.merchantId),
      expired: yield* inCell(plan.expired, ({ request }) => request.merchantId),
      cancelled: yield* inCell(plan.cancelled, ({ merchantId }) => merchantId),
      verifications: yield* inCell(plan.verifications, ({ verification }) => verification.merchantId)
    }
    return part
  })

  return {
    find,
    restrict: (environment, serviceId, restrictedAt) =>
      Effect.flatMap(
        find(environment, serviceId),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (person) =>
            person.erasedAt === undefined
              ? people.change(
                  person,
                  home,
                  atHome("PersonStore.restrict")((stores) =>
                    personsOf(stores).restrict(environment, serviceId, restrictedAt)
                  )
                )
              : Effect.succeedNone
        })
      ),
    // Cells that an interrupted erasure has already reached return `None` and add nothing to the snapshot.
    erasure: (environment, serviceId) =>
      Effect.gen(function* () {
        const held = yield* find(environment, serviceId)
        if (Option.isNone(held) || held.value.erasedAt !== undefined) return Option.none()
        const parts = yield* Effect.forEach(yield* cellsOf(held.value), (cell) =>
          Effect.tap(
            at(cell, "PersonStore.erasure")((stores) => personsOf(stores).erasure(environment, serviceId)),
            Option.match({ onNone: () => Effect.void, onSome: (part) => ownRecordsOnly(part, cell) })
          )
        )
        const found = parts.flatMap((part) => Option.toArray(part))
        const snapshot: ErasureSnapshot = {
          person: held.value,
          grants: found.flatMap(({ grants }) => grants),
          requests: found.flatMap(({ requests }) => requests),
          verifications: found.flatMap(({ verifications }) => verifications),
          pendingRefunds: found.reduce((sum, { pendingRefunds }) => sum + pendingRefunds, 0)
        }
        return Option.some(snapshot)
      }),
    // Commits cell by cell, with the home cell last. Until the home cell commits, `erasure` returns a snapshot, so the
    // erasure can be repeated. A repeated call continues with the remaining cells under the first call's pseudonym.
    erase: (plan) =>
      Commit.inTurn(
        directory,
        personTurn(plan.person)
      )(
        Effect.gen(function* () {
          const { environment, serviceId } = plan.person
          yield* Commit.writesTo(home)
          yield* people.settle(plan.person)
          const pseudonym = yield* directory.pseudonym(plan.person, plan.pseudonym)
          const whole: ErasurePlan = {
            ...plan,
            pseudonym,
            verifications: plan.verifications.map((end) => ({
              ...renamed(end, plan.pseudonym, pseudonym),
              verification: { ...end.verification, userId: pseudonym }
            }))
          }
          for (const cell of yield* cellsOf(plan.person)) {
            const inCell = at(cell, "PersonStore.erase")
            const held = yield* inCell((stores) => personsOf(stores).find(environment, serviceId))
            const isErased = Option.isNone(held) || held.value.erasedAt !== undefined
            if (isErased && cell !== home) continue
            const part = yield* partOf(whole, cell)
            if (!(yield* inCell((stores) => personsOf(stores).erase(part)))) return false
          }
          return true
        })
      ),
    remains: (person) =>
      Effect.map(
        all("PersonStore.remains")((stores) => personsOf(stores).remains(person)),
        (cells): Remains => {
          const sum = (kind: keyof Remains): number => cells.reduce((total, remains) => total + remains[kind], 0)
          return {
            payments: sum("payments"),
            refunds: sum("refunds"),
            accounts: sum("accounts"),
            receipts: sum("receipts"),
            dataRequests: sum("dataRequests"),
            grants: sum("grants"),
            reads: sum("reads"),
            verifications: sum("verifications"),
            rightsRequests: sum("rightsRequests")
          }
        }
      )
  }
}

const newest = <A>(records: ReadonlyArray<A>, atMost: number | undefined): ReadonlyArray<A> =>
  atMost === undefined ? records : records.slice(Math.max(0, records.length - atMost))

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/**
 * Merges one kind of record from all cells, oldest first. If `atMost` is set, returns only the newest `atMost` records.
 */
const merged = <A>(
  cells: ReadonlyArray<Holdings>,
  recordsOf: (holdings: Holdings) => ReadonlyArray<A>,
  timeOf: (record: A) => DateTime.Utc,
  nameOf: (record: A) => string,
  atMost: number | undefined
): ReadonlyArray<A> => {
  const all = cells
    .flatMap(recordsOf)
    .sort(
      (one, other) =>
        DateTime.toEpochMillis(timeOf(one)) - DateTime.toEpochMillis(timeOf(other)) ||
        byText(nameOf(one), nameOf(other))
    )
  return newest(all, atMost)
}

const summedWallets = (wallets: ReadonlyArray<Money>): ReadonlyArray<Money> =>
  [...Map.groupBy(wallets, ({ currency }) => currency)].map(([currency, parts]) => ({
    currency,
    minor: parts.reduce((sum, { minor }) => sum + minor, 0n)
  }))

export const personLog = (router: Router): PersonLog["Service"] => {
  const { all, home, names } = router
  const mergePages = makeMergePages(router)
  const order = latestFirst(
    ({ readAt }: IdentityRead) => DateTime.toEpochMillis(readAt),
    ({ id }: IdentityRead) => id
  )
  return {
    holdings: (environment, serviceId, atMost) =>
      Effect.map(
        all("PersonLog.holdings")((stores) => logOf(stores).holdings(environment, serviceId, atMost)),
        (cells) => {
          const own = cells[names.indexOf(home)]
          if (own === undefined || Option.isNone(own)) return Option.none()
          const found = cells.flatMap((cell) => Option.toArray(cell))
          const payments = merged(
            found,
            (held) => held.payments,
            (payment) => payment.createdAt,
            ({ id }) => id,
            atMost
          )
          const isShown = new Set(payments.map(({ id, merchantId }) => `${merchantId} ${id}`))
          const whole: Holdings = {
            consumer: own.value.consumer,
            ...(own.value.restrictedAt === undefined ? {} : { restrictedAt: own.value.restrictedAt }),
            links: merged(
              found,
              (held) => held.links,
              (link) => link.createdAt,
              (link) => link.merchantId,
              atMost
            ),
            dataRequests: merged(
              found,
              (held) => held.dataRequests,
              (request) => request.createdAt,
              ({ id }) => id,
              atMost
            ),
            grants: merged(
              found,
              (held) => held.grants,
              (grant) => grant.grantedAt,
              ({ id }) => id,
              atMost
            ),
            askingBlocks: merged(
              found,
              (held) => held.askingBlocks,
              (block) => block.blockedAt,
              (block) => block.merchantId,
              atMost
            ),
            reads: merged(
              found,
              (held) => held.reads,
              (read) => read.readAt,
              ({ id }) => id,
              atMost
            ),
            receipts: byId(found, (held) => held.receipts, atMost),
            verifications: merged(
              found,
              (held) => held.verifications,
              (one) => one.createdAt,
              ({ id }) => id,
              atMost
            ),
            evidence: merged(
              found,
              (held) => held.evidence,
              (evidence) => evidence.provedAt,
              (evidence) => evidence.verificationId,
              atMost
            ),
            payments,
            refunds: newest(
              merged(
                found,
                (held) => held.refunds,
                (refund) => refund.createdAt,
                ({ id }) => id,
                undefined
              ).filter(({ merchantId, paymentId }) => isShown.has(`${merchantId} ${paymentId}`)),
              atMost
            ),
            wallets: summedWallets(found.flatMap((held) => held.wallets)),
            messages: merged(
              found,
              (held) => held.messages,
              (event) => event.occurredAt,
              (event) => event.eventId,
              atMost
            ),
            rightsRequests: own.value.rightsRequests
          }
          return Option.some(whole)
        }
      ),
    reads: (filter, page) =>
      mergePages("PersonLog.reads", order, page, (stores, part) => logOf(stores).reads(filter, part))
  }
}

/** Like `merged`, for records whose ids sort by time. */
const byId = <A extends { readonly id: string }>(
  cells: ReadonlyArray<Holdings>,
  recordsOf: (holdings: Holdings) => ReadonlyArray<A>,
  atMost: number | undefined
): ReadonlyArray<A> => {
  const all = cells.flatMap(recordsOf).sort((one, other) => byText(one.id, other.id))
  return newest(all, atMost)
}
