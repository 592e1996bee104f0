import { DateTime, Effect, Layer } from "effect"
import { type RetentionKind, RetentionStore } from "../../retention/RetentionStore.js"
import { MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

interface Old {
  readonly at: DateTime.Utc
  readonly take: () => unknown
}

const oldAnswers = (state: State): ReadonlyArray<Old> =>
  [...state.deliveries].flatMap(([key, { attempts }]) =>
    attempts.flatMap(({ number, responseBody, startedAt }) =>
      responseBody === undefined
        ? []
        : [
            {
              at: startedAt,
              take: () => {
                const stored = state.deliveries.get(key)
                if (stored === undefined) return
                const kept = stored.attempts.map(({ responseBody: body, ...attempt }) =>
                  attempt.number === number && attempt.startedAt === startedAt
                    ? attempt
                    : { ...attempt, ...(body === undefined ? {} : { responseBody: body }) }
                )
                state.deliveries.set(key, { ...stored, attempts: kept })
              }
            }
          ]
    )
  )

const olds: Readonly<Record<RetentionKind, (state: State) => ReadonlyArray<Old>>> = {
  answers: oldAnswers,
  reads: ({ identityReads }) =>
    [...identityReads.values()].map(({ id, readAt }) => ({ at: readAt, take: () => identityReads.delete(id) })),
  deliveries: ({ deliveries }) =>
    [...deliveries].flatMap(([key, { delivery }]) =>
      delivery.status === "DELIVERED" ? [{ at: delivery.createdAt, take: () => deliveries.delete(key) }] : []
    ),
  codes: ({ codeChallenges, managementLinks }) => [
    ...[...codeChallenges].map(([name, { windowEndsAt }]) => ({
      at: windowEndsAt,
      take: () => codeChallenges.delete(name)
    })),
    ...[...managementLinks].map(([hash, { expiresAt }]) => ({
      at: expiresAt,
      take: () => managementLinks.delete(hash)
    }))
  ],
  rightsRequests: ({ rightsRequests }) =>
    [...rightsRequests.values()].flatMap(({ closedAt, id }) =>
      closedAt === undefined ? [] : [{ at: closedAt, take: () => rightsRequests.delete(id) }]
    )
}

const olderThan = (state: State, kind: RetentionKind, before: DateTime.Utc): ReadonlyArray<Old> =>
  olds[kind](state).filter(({ at }) => DateTime.isLessThan(at, before))

export const layer: Layer.Layer<RetentionStore, never, MemoryState> = Layer.effect(
  RetentionStore,
  Effect.map(MemoryState, (state) =>
    RetentionStore.of({
      count: (kind, before) => Effect.sync(() => olderThan(state, kind, before).length),

      take: (kind, before, limit) =>
        Effect.sync(() => {
          const taken = [...olderThan(state, kind, before)].sort((a, b) => DateTime.Order(a.at, b.at)).slice(0, limit)
          for (const { take } of taken) take()
          return taken.length
        })
    })
  )
)
