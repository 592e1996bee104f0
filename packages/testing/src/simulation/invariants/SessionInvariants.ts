import type { OperatorSessionId } from "@surety/core/Ids"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import type { OpenedSession } from "@surety/core/operator/session/OperatorSessions"
import { DateTime, Duration } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"

/** Records console sessions as browsers know them, and checks their use. */
export interface SessionBook {
  readonly opened: (session: OpenedSession) => void
  readonly known: () => ReadonlyArray<OpenedSession>
  /** True if the session's end was confirmed, or the session has been idle for longer than `idleMillis`. */
  readonly isOver: (id: OperatorSessionId) => boolean
  readonly wasEnded: (id: OperatorSessionId) => boolean
  /**
   * `using` records that a session is about to be used, unless it was idle too long. `used` checks the session that a
   * request sent at `sinceMillis` returned.
   */
  readonly using: (id: OperatorSessionId) => void
  readonly used: (answered: OperatorSession, asked: OperatorSessionId, sinceMillis: number) => void
  /** Records that the end of a session was confirmed. */
  readonly ended: (id: OperatorSessionId) => void
}

/** Core's default limits on a session's idle time and age, plus twice the maximum clock error. */
const idleMillis = Duration.toMillis(Duration.minutes(30)) + 2 * mostSkewMillis
const longestMillis = Duration.toMillis(Duration.hours(12)) + 2 * mostSkewMillis

/**
 * Checks that a session gives no access once it has ended, has been idle for too long or is too old. At rest, no
 * session may be stored longer than 12 hours, plus the skew margin, after its `endsAt`.
 */
export const watchSessions = (world: World): SessionBook => {
  const { state } = world
  const opened: Array<OpenedSession> = []
  const endedAt = new Map<string, number>()
  /** The latest possible time of each session's last use. */
  const lastUse = new Map<string, number>()
  observe(state.operatorSessions, (_, before, after) => {
    if (before === undefined || after === undefined) return
    const isSame = before.id === after.id && before.operator === after.operator && before.endsAt === after.endsAt
    world.require(isSame, "sessions_end", () => `${world.nameOf(after.id)} became another session`)
  })
  world.atRest(() => {
    const [left] = [...state.operatorSessions.values()].filter(
      ({ endsAt }) => DateTime.toEpochMillis(endsAt) < world.nowMillis - longestMillis
    )
    world.require(left === undefined, "sessions_end", () => `${world.nameOf(left?.id ?? "")} was never deleted`)
  })
  return {
    known: () => opened,
    wasEnded: (id) => endedAt.has(id),
    isOver: (id) => endedAt.has(id) || (lastUse.get(id) ?? world.nowMillis) + idleMillis < world.nowMillis,
    opened: (session) => {
      opened.push(session)
      lastUse.set(session.session.id, world.nowMillis)
    },
    using: (id) => {
      const before = lastUse.get(id) ?? Number.NEGATIVE_INFINITY
      if (world.nowMillis - before <= idleMillis) lastUse.set(id, world.nowMillis)
    },
    used: (answered, asked, sinceMillis) => {
      const name = () => world.nameOf(asked)
      world.reach("session used")
      world.require(answered.id === asked, "sessions_end", () => `${name()} opened ${world.nameOf(answered.id)}`)
      world.require(
        sinceMillis <= (endedAt.get(asked) ?? Number.POSITIVE_INFINITY),
        "sessions_end",
        () => `${name()} was used after its end`
      )
      const isOld = DateTime.toEpochMillis(answered.createdAt) + longestMillis < sinceMillis
      const isIdle = (lastUse.get(asked) ?? sinceMillis) + idleMillis < sinceMillis
      world.require(!isOld && !isIdle, "sessions_end", () => `${name()} was used after its time`)
    },
    ended: (id) => {
      if (!endedAt.has(id)) endedAt.set(id, world.nowMillis)
    }
  }
}
