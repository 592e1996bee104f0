import { DateTime, Effect, Layer, Option } from "effect"
import type { OperatorSession, SessionTokenHash } from "../../operator/session/OperatorSession.js"
import { type InForce, OperatorSessionStore } from "../../operator/session/OperatorSessionStore.js"
import { requireThat } from "../ConstraintViolated.js"
import { listRecords, positionAt } from "../MemoryList.js"
import { MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

const isInForce =
  ({ now, usedAfter }: InForce) =>
  ({ endsAt, lastUsedAt }: OperatorSession): boolean =>
    DateTime.isGreaterThan(endsAt, now) && DateTime.isGreaterThan(lastUsedAt, usedAfter)

const those = (
  { operatorSessions }: State,
  isWanted: (session: OperatorSession) => boolean
): ReadonlyArray<readonly [SessionTokenHash, OperatorSession]> =>
  [...operatorSessions].filter(([, session]) => isWanted(session))

export const make = (state: State): OperatorSessionStore["Service"] =>
  OperatorSessionStore.of({
    insert: (session, tokenHash) =>
      Effect.sync(() => {
        requireThat(!state.operatorSessions.has(tokenHash), "a session's token is new", session.id)
        state.operatorSessions.set(tokenHash, session)
      }),

    use: (tokenHash, { touchedBefore, ...inForce }) =>
      Effect.sync(() => {
        const session = state.operatorSessions.get(tokenHash)
        if (session === undefined || !isInForce(inForce)(session)) return Option.none()
        if (DateTime.isGreaterThan(session.lastUsedAt, touchedBefore)) return Option.some(session)
        const touched = { ...session, lastUsedAt: DateTime.max(session.lastUsedAt, inForce.now) }
        state.operatorSessions.set(tokenHash, touched)
        return Option.some(touched)
      }),

    end: (id, inForce) =>
      Effect.sync(() => {
        const [found] = those(state, (session) => session.id === id && isInForce(inForce)(session))
        if (found === undefined) return Option.none()
        state.operatorSessions.delete(found[0])
        return Option.some(found[1])
      }),

    endAll: (operator, inForce) =>
      Effect.sync(() => {
        const found = those(state, (session) => session.operator === operator && isInForce(inForce)(session))
        for (const [tokenHash] of found) state.operatorSessions.delete(tokenHash)
        return found.length
      }),

    list: (operator, inForce, page) =>
      listRecords(
        () => state.operatorSessions.values(),
        {
          where: (session) => isInForce(inForce)(session) && (operator === undefined || session.operator === operator),
          position: ({ createdAt, id }) => positionAt(createdAt, id)
        },
        page
      ),

    sweep: (inForce, limit) =>
      Effect.sync(() => {
        const over = those(state, (session) => !isInForce(inForce)(session)).slice(0, limit)
        for (const [tokenHash] of over) state.operatorSessions.delete(tokenHash)
        return over.length
      })
  })

export const layer: Layer.Layer<OperatorSessionStore, never, MemoryState> = Layer.effect(
  OperatorSessionStore,
  Effect.map(MemoryState, make)
)
