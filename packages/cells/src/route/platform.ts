import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import { OperatorSessionStore } from "@surety/core/operator/session/OperatorSessionStore"
import { type Attention, type Counted, type HourCount, OverviewLog } from "@surety/core/overview/OverviewLog"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { NotReady, Readiness } from "@surety/core/Readiness"
import { Partitions } from "@surety/core/retention/Partitions"
import { RetentionStore } from "@surety/core/retention/RetentionStore"
import { type SearchGroup, type SearchHit, SearchIndex, searchedKinds } from "@surety/core/search/SearchIndex"
import { KeyCanaryStore, type KnownKeys } from "@surety/core/secret/KeyCanaryStore"
import { Context, DateTime, Duration, Effect, Option } from "effect"
import type { CellName } from "../Cells.js"
import { countUpTo, earliest } from "./events.js"
import type { Router } from "./Router.js"

const limitsOf = Context.get(RateLimitStore)
const sessionsOf = Context.get(OperatorSessionStore)
const overviewOf = Context.get(OverviewLog)
const rightsOf = Context.get(RightsRequestStore)
const readinessOf = Context.get(Readiness)
const retentionOf = Context.get(RetentionStore)
const searchOf = Context.get(SearchIndex)
const canariesOf = Context.get(KeyCanaryStore)

/** All buckets are in the home cell, where every process finds them without looking up a merchant's cell. */
export const rateLimitStore = ({ atHome }: Router): RateLimitStore["Service"] => ({
  lease: (limit, key, demand) => atHome("RateLimitStore.lease")((stores) => limitsOf(stores).lease(limit, key, demand)),
  forgetFull: atHome("RateLimitStore.forgetFull")((stores) => limitsOf(stores).forgetFull)
})

export const operatorSessionStore = ({ atHome }: Router): OperatorSessionStore["Service"] => ({
  insert: (session, tokenHash) =>
    atHome("OperatorSessionStore.insert")((stores) => sessionsOf(stores).insert(session, tokenHash)),
  use: (tokenHash, inForce) =>
    atHome("OperatorSessionStore.use")((stores) => sessionsOf(stores).use(tokenHash, inForce)),
  end: (id, inForce) => atHome("OperatorSessionStore.end")((stores) => sessionsOf(stores).end(id, inForce)),
  endAll: (operator, inForce) =>
    atHome("OperatorSessionStore.endAll")((stores) => sessionsOf(stores).endAll(operator, inForce)),
  list: (operator, inForce, page) =>
    atHome("OperatorSessionStore.list")((stores) => sessionsOf(stores).list(operator, inForce, page)),
  sweep: (inForce, limit) => atHome("OperatorSessionStore.sweep")((stores) => sessionsOf(stores).sweep(inForce, limit))
})

/** Rights requests belong to people, so they are in the home cell. */
export const rightsRequestStore = ({ atHome }: Router): RightsRequestStore["Service"] => ({
  ask: (request, event) => atHome("RightsRequestStore.ask")((stores) => rightsOf(stores).ask(request, event)),
  find: (environment, id) => atHome("RightsRequestStore.find")((stores) => rightsOf(stores).find(environment, id)),
  list: (environment, status, page) =>
    atHome("RightsRequestStore.list")((stores) => rightsOf(stores).list(environment, status, page)),
  close: (closing) => atHome("RightsRequestStore.close")((stores) => rightsOf(stores).close(closing))
})

export const retentionStore = ({ all, gatherCount }: Router): RetentionStore["Service"] => ({
  count: (kind, before) =>
    Effect.map(
      all("RetentionStore.count")((stores) => retentionOf(stores).count(kind, before)),
      (counts) => counts.reduce((sum, count) => sum + count, 0)
    ),
  take: (kind, before, limit) =>
    gatherCount("RetentionStore.take")(limit, (stores, rest) => retentionOf(stores).take(kind, before, rest))
})

/** The home cell stores the keys' canaries, although the keys seal secrets in every cell. */
export const keyCanaryStore = ({ at, atHome, home, names }: Router): KeyCanaryStore["Service"] => ({
  admit: (now, decide) =>
    Effect.gen(function* () {
      const elsewhere = yield* Effect.forEach(
        names.filter((cell) => cell !== home),
        (cell) =>
          at(
            cell,
            "KeyCanaryStore.admit"
          )((stores) =>
            canariesOf(stores).admit(now, ({ sealedUnder }: KnownKeys) => ({ answer: sealedUnder, canary: undefined }))
          ).pipe(
            // A server can start while a cell is down. The keys of that cell's secrets are checked at the next start.
            Effect.catchTag("StoreError", ({ message }) =>
              Effect.as(
                Effect.logWarning(`Secret keys of a cell could not be checked: ${message}`).pipe(
                  Effect.annotateLogs("cell", cell)
                ),
                []
              )
            )
          )
      )
      return yield* atHome("KeyCanaryStore.admit")((stores) =>
        canariesOf(stores).admit(now, (known) =>
          decide({ ...known, sealedUnder: [...new Set([...known.sealedUnder, ...elsewhere.flat()])] })
        )
      )
    })
})

/**
 * Ready if the home cell is ready and the directory responds. The other cells do not count, because an outage of one
 * does not stop the work of the rest.
 */
export const readiness = ({ atHome, directory }: Router): Readiness["Service"] => ({
  check: Effect.andThen(
    atHome("Readiness.check")((stores) => readinessOf(stores).check),
    directory.openChanges(Duration.hours(1), 1)
  ).pipe(
    Effect.asVoid,
    Effect.catchTag("StoreError", (error) => Effect.fail(new NotReady({ detail: error.message })))
  )
})

/**
 * Creates partitions ahead of time in each partitioned cell. Skips a cell that is down if another responds. Returns the
 * smallest number of months by which a partitioned cell is ahead, or `undefined` if no responding cell is partitioned.
 */
export const partitions = ({ gather }: Router): Partitions => ({
  makeAhead: Effect.map(
    gather("Partitions.makeAhead")(Number.POSITIVE_INFINITY, (stores) =>
      Effect.map(Context.get(stores, Partitions).makeAhead, (ahead) => (ahead === undefined ? [] : [ahead]))
    ),
    (months) => (months.length === 0 ? undefined : Math.min(...months))
  )
})

const sumOf = (countTo: number, counted: ReadonlyArray<Counted>): Counted => ({
  count: countUpTo(
    countTo,
    counted.map(({ count }) => count)
  ),
  since: earliest(counted.map(({ since }) => since))
})

export const overviewLog = ({ all, at, home, names }: Router): OverviewLog["Service"] => ({
  attention: (environment, bounds) =>
    Effect.map(
      all("OverviewLog.attention")((stores) => overviewOf(stores).attention(environment, bounds)),
      (cells): Attention => {
        const sum = (name: keyof Attention): Counted =>
          sumOf(
            bounds.countTo,
            cells.map((cell) => cell[name])
          )
        return {
          endpointsFailing: sum("endpointsFailing"),
          endpointsDisabled: sum("endpointsDisabled"),
          refundsPending: sum("refundsPending"),
          verificationsStuck: sum("verificationsStuck"),
          rightsRequests: sum("rightsRequests"),
          rightsRequestsNear: sum("rightsRequestsNear"),
          rightsRequestsLate: sum("rightsRequestsLate"),
          merchantsInReview: sum("merchantsInReview"),
          dataRequestsPending: sum("dataRequestsPending"),
          disowned: sum("disowned"),
          proposals: sum("proposals")
        }
      }
    ),
  troubledEndpoints: (environment, limit) =>
    Effect.map(
      all("OverviewLog.troubledEndpoints")((stores) => overviewOf(stores).troubledEndpoints(environment, limit)),
      (cells) =>
        cells
          .flat()
          .sort((one, other) => DateTime.Order(one.since, other.since) || (one.endpointId < other.endpointId ? -1 : 1))
          .slice(0, limit)
    ),
  stuckVerifications: (environment, before, limit) =>
    Effect.map(
      all("OverviewLog.stuckVerifications")((stores) =>
        overviewOf(stores).stuckVerifications(environment, before, limit)
      ),
      (cells) =>
        cells
          .flat()
          .sort(
            (one, other) =>
              DateTime.Order(one.createdAt, other.createdAt) || (one.verificationId < other.verificationId ? -1 : 1)
          )
          .slice(0, limit)
    ),
  // Each cell counts its own records hour by hour. Returns the number of hours that the home cell counted, because a
  // sum would include each hour once per cell.
  countHours: (range, limit) =>
    Effect.gen(function* () {
      const operation = "OverviewLog.countHours"
      const countIn = (cell: CellName) => at(cell, operation)((stores) => overviewOf(stores).countHours(range, limit))
      for (const cell of names.filter((other) => other !== home)) {
        yield* Effect.catchTag(countIn(cell), "StoreError", ({ message }) =>
          Effect.annotateLogs(Effect.logWarning(`Hour counts of a cell are delayed: ${message}`), "cell", cell)
        )
      }
      return yield* countIn(home)
    }),
  hours: (range) =>
    Effect.map(
      all("OverviewLog.hours")((stores) => overviewOf(stores).hours(range)),
      (cells) => summedHours(cells.flat())
    ),
  countedAt: Effect.map(
    all("OverviewLog.countedAt")((stores) => overviewOf(stores).countedAt),
    (times) => (times.includes(undefined) ? undefined : earliest(times))
  )
})

const summedHours = (counts: ReadonlyArray<HourCount>): ReadonlyArray<HourCount> => {
  const keyOf = ({ currency, fact, hour }: HourCount): string => `${DateTime.formatIso(hour)} ${fact} ${currency ?? ""}`
  return [...Map.groupBy(counts, keyOf)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...rest]]) => {
      if (first === undefined) return []
      const count = rest.reduce((sum, other) => sum + other.count, first.count)
      if (first.amountMinor === undefined) return [{ ...first, count }]
      const amountMinor = rest.reduce((sum, other) => sum + (other.amountMinor ?? 0n), first.amountMinor)
      return [{ ...first, count, amountMinor }]
    })
}

/** Sorts hits found by name after all other hits. Within both groups, the newest come first. */
const byRank = (one: SearchHit, other: SearchHit): number =>
  Number(one.by === "name") - Number(other.by === "name") ||
  DateTime.toEpochMillis(other.at) - DateTime.toEpochMillis(one.at) ||
  (one.id < other.id ? 1 : -1)

/** `find` returns people from the home cell only, since the other cells hold copies. */
export const searchIndex = ({ all, home, names, search }: Router): SearchIndex["Service"] => ({
  place: (id) =>
    Effect.map(
      search("SearchIndex.place")((stores) => searchOf(stores).place(id)),
      Option.map(([, place]) => place)
    ),
  find: (environment, terms, bounds) =>
    Effect.map(
      all("SearchIndex.find")((stores) => searchOf(stores).find(environment, terms, bounds)),
      (cells) =>
        searchedKinds.flatMap((kind): ReadonlyArray<SearchGroup> => {
          const groups = cells.flatMap((found, index) =>
            kind === "person" && names[index] !== home ? [] : found.filter((group) => group.kind === kind)
          )
          if (groups.length === 0) return []
          const hits = groups.flatMap((group) => group.hits)
          return [
            {
              kind,
              hits: hits.sort(byRank).slice(0, bounds.limit),
              count: countUpTo(
                bounds.countTo,
                groups.map(({ count }) => count)
              )
            }
          ]
        })
    )
})
