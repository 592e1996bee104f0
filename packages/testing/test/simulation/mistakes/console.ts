import { OperatorSessionStore } from "@surety/core/operator/session/OperatorSessionStore"
import { DateTime, Effect, Option } from "effect"
import { asking, faultsOf, instead } from "../../faults/Fault.js"
import { type Mistake, ofStore, years } from "./Mistake.js"

const sessions = faultsOf(OperatorSessionStore)

export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    "sessions_end",
    asking(sessions("use", "keeps sessions that were left alone"), ([hash, inForce]) => [
      hash,
      { ...inForce, usedAfter: DateTime.subtract(inForce.usedAfter, years) }
    ])
  ),
  ofStore(
    "sessions_end",
    instead(
      sessions("end", "does not end a session"),
      (_, state) => (id) =>
        Effect.sync(() =>
          Option.fromUndefinedOr([...state.operatorSessions.values()].find((session) => session.id === id))
        )
    )
  ),
  ofStore(
    "sessions_end",
    instead(sessions("use", "remembers sessions that it has seen"), (use) => {
      const seen = new Map<string, Effect.Success<ReturnType<typeof use>>>()
      return (hash, inForce) =>
        Effect.map(use(hash, inForce), (found) => {
          const known = Option.isSome(found) ? found : (seen.get(hash) ?? found)
          seen.set(hash, known)
          return known
        })
    })
  )
]
