import { DateTime, Effect, Layer } from "effect"
import { ConsentUpkeep } from "../../consent/ConsentUpkeep.js"
import { isInForce } from "../../consent/grant/Grant.js"
import { isPending } from "../../consent/request/DataRequest.js"
import type { DataRequestId } from "../../Ids.js"
import { MemoryState, type StoredDataRequest } from "../MemoryState.js"
import { pendingRequestOf } from "./MemoryConsentLog.js"

type State = MemoryState["Service"]

interface Timed<A> {
  readonly row: A
  readonly at: DateTime.Utc
  readonly id: string
}

const longestDue = <A>(rows: ReadonlyArray<Timed<A>>, limit: number): ReadonlyArray<A> =>
  [...rows]
    .sort((a, b) => DateTime.Order(a.at, b.at) || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ row }) => row)

const dueNotifications = (
  state: State,
  now: DateTime.Utc,
  id: string | undefined
): ReadonlyArray<Timed<StoredDataRequest>> =>
  [...state.dataRequests.values()].flatMap((stored) => {
    const { notifyAt: at, request } = stored
    const isDue = at !== undefined && DateTime.isLessThanOrEqualTo(at, now) && isPending(request, now)
    return isDue && (id === undefined || request.id === id) ? [{ row: stored, at, id: request.id }] : []
  })

const putOff = (state: State, id: DataRequestId, notifyAt: DateTime.Utc | undefined): void => {
  const stored = state.dataRequests.get(id)
  if (stored?.notifyAt !== undefined) state.dataRequests.set(id, { ...stored, notifyAt })
}

const keptSince = (state: State, { createdAt, id }: StoredDataRequest["request"]): DateTime.Utc =>
  [...state.dataRequestsByKey.values()]
    .filter(({ requestId }) => requestId === id)
    .reduce((latest, key) => DateTime.max(latest, key.keptSince), createdAt)

const forgettable = (state: State, madeBefore: DateTime.Utc): ReadonlyArray<Timed<StoredDataRequest>> =>
  [...state.dataRequests.values()].flatMap((stored) => {
    const { createdAt: at, id, status } = stored.request
    const isOld =
      stored.kept !== undefined &&
      status !== "PENDING" &&
      DateTime.isLessThan(keptSince(state, stored.request), madeBefore)
    return isOld ? [{ row: stored, at, id }] : []
  })

export const make = (state: State): ConsentUpkeep["Service"] =>
  ConsentUpkeep.of({
    lapsed: (now, limit) =>
      Effect.sync(() => ({
        requests: longestDue(
          [...state.dataRequests.values()]
            .filter(({ request }) => request.status === "PENDING" && !isPending(request, now))
            .map(({ request: { expiresAt, id } }) => ({ row: id, at: expiresAt, id })),
          limit
        ),
        grants: longestDue(
          [...state.grants.values()]
            .filter((grant) => grant.status === "ACTIVE" && !isInForce(grant, now))
            .map(({ expiresAt, id }) => ({ row: id, at: expiresAt, id })),
          limit
        )
      })),

    claimNotifications: ({ againAt, id, limit, now }) =>
      Effect.sync(() =>
        longestDue(dueNotifications(state, now, id), limit).map((stored) => {
          state.dataRequests.set(stored.request.id, { ...stored, notifyAt: againAt })
          return pendingRequestOf(state, stored)
        })
      ),

    recordNotified: (id, remindAt) => Effect.sync(() => putOff(state, id, remindAt)),

    putOffNotification: (id, at) => Effect.sync(() => putOff(state, id, at)),

    forgetAnswers: (madeBefore, limit) =>
      Effect.sync(() => {
        const old = longestDue(forgettable(state, madeBefore), limit)
        for (const stored of old) {
          const { request } = stored
          for (const [key, { requestId }] of state.dataRequestsByKey) {
            if (requestId === request.id) state.dataRequestsByKey.delete(key)
          }
          state.dataRequests.set(request.id, { ...stored, kept: undefined, link: undefined })
        }
        return old.length
      })
  })

export const layer: Layer.Layer<ConsentUpkeep, never, MemoryState> = Layer.effect(
  ConsentUpkeep,
  Effect.map(MemoryState, make)
)
