import { Effect, Layer, Option } from "effect"
import type { PlatformEvent } from "../../event/PlatformEvent.js"
import type { RightsRequest } from "../../person/RightsRequest.js"
import {
  type ClosedRightsRequest,
  type RightsRequestClosing,
  RightsRequestStore
} from "../../person/RightsRequestStore.js"
import { append, checkEvent } from "../event/MemoryOutbox.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { environmentKey, MemoryState } from "../MemoryState.js"
import { isTheirs } from "./recordsOfPerson.js"

type State = MemoryState["Service"]

const ask = (state: State, request: RightsRequest, event: PlatformEvent | undefined): RightsRequest | undefined => {
  if (!state.consumers.has(environmentKey(request.environment, request.userId))) return undefined
  const theirs = isTheirs(request)
  const open = [...state.rightsRequests.values()].find(
    (other) => other.status === "OPEN" && other.kind === request.kind && theirs(other)
  )
  if (open !== undefined) return open
  if (event !== undefined) checkEvent(state, event)
  state.rightsRequests.set(request.id, request)
  if (event !== undefined) append(state, event, request.id)
  return request
}

const close = (state: State, { environment, id, ...end }: RightsRequestClosing): ClosedRightsRequest | undefined => {
  const request = state.rightsRequests.get(id)
  if (request?.environment !== environment) return undefined
  if (request.status !== "OPEN") return { request, isNew: false }
  const closed = { ...request, ...end }
  state.rightsRequests.set(id, closed)
  return { request: closed, isNew: true }
}

/** The time is negated, since this list shows the oldest first. */
const positionOf = ({ askedAt, id }: RightsRequest) => {
  const { at } = positionAt(askedAt, id)
  return { at: -at, id }
}

export const layer: Layer.Layer<RightsRequestStore, never, MemoryState> = Layer.effect(
  RightsRequestStore,
  Effect.map(MemoryState, (state) =>
    RightsRequestStore.of({
      ask: (request, event) => Effect.sync(() => Option.fromUndefinedOr(ask(state, request, event))),

      find: (environment, id) =>
        Effect.sync(() =>
          Option.filter(Option.fromUndefinedOr(state.rightsRequests.get(id)), (one) => one.environment === environment)
        ),

      list: (environment, status, page) =>
        listRecords(
          () => state.rightsRequests.values(),
          { where: matches<RightsRequest>({ environment, status }), position: positionOf },
          page
        ),

      close: (closing) => Effect.sync(() => Option.fromUndefinedOr(close(state, closing)))
    })
  )
)
