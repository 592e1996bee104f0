import { DateTime, Effect, Layer } from "effect"
import type { ApiKeyId } from "../../Ids.js"
import type { RequestEntry } from "../../request/RequestEntry.js"
import { lastUseStep, RequestStore } from "../../request/RequestStore.js"
import { listRecords } from "../MemoryList.js"
import { isOf, MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

const noteUse = (state: State, id: ApiKeyId, at: DateTime.Utc): void => {
  for (const [hash, key] of state.apiKeys) {
    if (key.id !== id) continue
    const { lastUsedAt } = key
    if (lastUsedAt !== undefined && DateTime.isLessThan(at, DateTime.addDuration(lastUsedAt, lastUseStep))) return
    state.apiKeys.set(hash, { ...key, lastUsedAt: at })
  }
}

const usesOf = (entries: ReadonlyArray<RequestEntry>): ReadonlyMap<ApiKeyId, DateTime.Utc> => {
  const uses = new Map<ApiKeyId, DateTime.Utc>()
  for (const { apiKeyId, at } of entries) uses.set(apiKeyId, DateTime.max(uses.get(apiKeyId) ?? at, at))
  return uses
}

export const make = (state: State): RequestStore["Service"] =>
  RequestStore.of({
    append: (entries) =>
      Effect.sync(() => {
        for (const entry of entries) {
          state.requestOrder.count += 1
          state.requests.set(state.requestOrder.count, entry)
        }
        for (const [id, at] of usesOf(entries)) noteUse(state, id, at)
      }),

    list: (scope, { route, status }, page) =>
      Effect.map(
        listRecords(
          () => state.requests.entries(),
          {
            where: ([, entry]) =>
              isOf(scope, entry) &&
              (route === undefined || entry.route === route) &&
              (status === undefined || entry.status === status),
            position: ([place]) => ({ at: place, id: "" })
          },
          page
        ),
        ({ data, nextCursor }) => ({ data: data.map(([, entry]) => entry), nextCursor })
      ),

    forget: (before, limit) =>
      Effect.sync(() => {
        const old = [...state.requests].filter(([, { at }]) => DateTime.isLessThan(at, before)).slice(0, limit)
        for (const [place] of old) state.requests.delete(place)
        return old.length
      })
  })

export const layer: Layer.Layer<RequestStore, never, MemoryState> = Layer.effect(
  RequestStore,
  Effect.map(MemoryState, make)
)
