import { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { Grant } from "@surety/core/consent/grant/Grant"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { largestPage } from "@surety/core/Page"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Context, Effect, Option, Redacted } from "effect"
import type { CellName } from "../Cells.js"
import * as Commit from "./Commit.js"
import type { People } from "./People.js"
import type { Router } from "./Router.js"

type Granted = Pick<Grant, "id" | "merchantId">

const consumersOf = Context.get(ConsumerStore)
const logOf = Context.get(ConsentLog)
const merchantsOf = Context.get(MerchantStore)

/** People are in the home cell. Their links to merchants are in the merchants' cells, next to copies of the people. */
export const consumerStore = (router: Router, people: People): ConsumerStore["Service"] => {
  const { at, atHome, cellOf, directory, home, of } = router
  const operation = "ConsumerStore.insert"

  const link: ConsumerStore["Service"]["link"] = (wanted) =>
    Effect.gen(function* () {
      const cell = yield* cellOf(wanted.merchantId)
      yield* people.copy(cell, wanted)
      return yield* at(cell, "ConsumerStore.link")((stores) => consumersOf(stores).link(wanted))
    })

  const activeGrantsIn = Effect.fnUntraced(function* (cell: CellName, { environment, userId }: Consumer) {
    const found: Array<Granted> = []
    let cursor: string | undefined
    do {
      const page = yield* at(
        cell,
        "ConsentLog.listGrants"
      )((stores) =>
        logOf(stores).listGrants({ merchantId: undefined, environment }, { userId }, { limit: largestPage, cursor })
      )
      found.push(...page.data.filter(({ status }) => status === "ACTIVE"))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return found
  })

  /**
   * Returns the active grants that `ConsumerStore.change` must expect in each cell. While a merchant moves, a second
   * cell may have copies of its grants, some of them outdated. The copies are expected there. In the merchant's own
   * cell, a copied grant is expected only if it is still active.
   */
  const placedGrants = Effect.fnUntraced(function* (
    person: Consumer,
    grants: ReadonlyArray<Granted>,
    cells: ReadonlyArray<CellName>
  ) {
    const held = yield* Effect.forEach(cells, (cell) =>
      Effect.map(activeGrantsIn(cell, person), (active) => ({ cell, active }))
    )
    const ownerOf = new Map<string, CellName>()
    for (const { id, merchantId } of [...grants, ...held.flatMap(({ active }) => active)]) {
      ownerOf.set(id, yield* cellOf(merchantId))
    }
    const copied = held.flatMap(({ active, cell }) => active.filter(({ id }) => ownerOf.get(id) !== cell))
    const isCopied = new Set(copied.map(({ id }) => id))
    return new Map(
      held.map(({ active, cell }) => {
        const own = grants.filter(({ id }) => ownerOf.get(id) === cell)
        const isHeld = new Set(active.map(({ id }) => id))
        const expected = [
          ...own.filter(({ id }) => !isCopied.has(id) || isHeld.has(id)),
          ...active.filter(({ id }) => ownerOf.get(id) !== cell)
        ]
        return [cell, [...new Map(expected.map((grant) => [grant.id, grant])).values()]]
      })
    )
  })

  return {
    // Dies and stores nothing if the link's merchant is missing. A crash between the two cells' commits leaves the
    // person without a link, as if none had been requested. A later call of `link` can create it.
    insert: (consumer, linked) =>
      Effect.gen(function* () {
        const cell = linked === undefined ? home : yield* cellOf(linked.merchantId)
        if (linked === undefined || cell === home) {
          return yield* atHome(operation)((stores) => consumersOf(stores).insert(consumer, linked))
        }
        yield* Commit.writesTo(cell)
        const merchant = yield* at(cell, operation)((stores) => merchantsOf(stores).find(linked.merchantId))
        if (Option.isNone(merchant)) return yield* Effect.die(new Error("A link names a missing merchant"))
        if (!(yield* atHome(operation)((stores) => consumersOf(stores).insert(consumer, undefined)))) return false
        yield* link(linked)
        return true
      }),
    findByServiceId: (environment, serviceId) =>
      atHome("ConsumerStore.findByServiceId")((stores) => consumersOf(stores).findByServiceId(environment, serviceId)),
    link,
    unlink: (merchantId, environment, userId) =>
      of(merchantId, "ConsumerStore.unlink")((stores) => consumersOf(stores).unlink(merchantId, environment, userId)),
    listLinked: (merchantId, environment, page) =>
      of(
        merchantId,
        "ConsumerStore.listLinked"
      )((stores) => consumersOf(stores).listLinked(merchantId, environment, page)),
    isLinked: (merchantId, environment, userId) =>
      of(
        merchantId,
        "ConsumerStore.isLinked"
      )((stores) => consumersOf(stores).isLinked(merchantId, environment, userId)),
    list: (environment, page, filter) =>
      atHome("ConsumerStore.list")((stores) => consumersOf(stores).list(environment, page, filter)),
    // Changes the other cells first, each with its own merchants' events, and the home cell last. After a crash in
    // between, the home cell's old record is copied back to the other cells. An event may be sent twice, but none is
    // lost.
    change: Effect.fnUntraced(function* (before: Consumer, after, events, grants) {
      // Each event is stored with the change to its cell's copy, so the copy must exist.
      for (const { merchantId } of events) yield* people.copy(yield* cellOf(merchantId), before)
      return yield* people.change(
        before,
        home,
        Effect.gen(function* () {
          const current = yield* atHome("ConsumerStore.change")((stores) =>
            consumersOf(stores).list(before.environment, { limit: 1, cursor: undefined }, { userId: before.userId })
          )
          if (!sameDetails(current.data[0], before)) return false
          const placed = yield* Effect.forEach(events, (event) =>
            Effect.map(cellOf(event.merchantId), (cell) => ({ cell, event }))
          )
          const copies = yield* directory.copies(before)
          const cells = [...new Set([...copies, ...placed.map(({ cell }) => cell)])].filter((cell) => cell !== home)
          const expected = yield* placedGrants(before, grants, [...cells, home])
          const changeIn = (cell: typeof home) => {
            const eventsOf = placed.filter((entry) => entry.cell === cell).map(({ event }) => event)
            const grantsOf = expected.get(cell) ?? []
            return at(
              cell,
              "ConsumerStore.change"
            )((stores) => consumersOf(stores).change(before, after, eventsOf, grantsOf))
          }
          for (const cell of cells) {
            const isChanged = yield* changeIn(cell)
            // Committing at home would lose this cell's events. The failed change refreshes the copy, so the next call
            // can succeed.
            if (!isChanged) return yield* Effect.fail(staleCopy(cell))
          }
          return yield* changeIn(home)
        })
      )
    })
  }
}

const staleCopy = (cell: CellName): StoreError =>
  new StoreError({
    operation: "ConsumerStore.change",
    reason: new StoreUnavailable({
      cause: new Error(`The cell "${cell}" has different details or grants of the person`)
    })
  })

const detailsOf = ({ country, displayName, email, externalId, phoneVerified }: Consumer) => [
  ...[country, externalId, phoneVerified],
  ...[displayName, email].map((value) => (value === undefined ? undefined : Redacted.value(value)))
]

const sameDetails = (current: Consumer | undefined, before: Consumer): boolean => {
  if (current === undefined) return false
  const wanted = detailsOf(before)
  return detailsOf(current).every((value, index) => value === wanted[index])
}
