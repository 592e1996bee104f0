import type { Environment } from "@surety/core/Environment"
import type { UserId } from "@surety/core/Ids"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { checkMove, isSameIn } from "./Lifecycles.js"

export interface RightsHolder {
  readonly environment: Environment
  readonly userId: UserId
}

/** Tracks the people who are certainly restricted. */
export interface RightsBook {
  /**
   * Records that a restriction succeeded. Until `lifting` is called for the person, an identity read or a new pending
   * data request violates an invariant. A no-op if `lifting` was ever called for the person.
   */
  readonly restricted: (person: RightsHolder) => void
  /** Records that a restriction is about to be lifted. From then on the person counts as unrestricted. */
  readonly lifting: (person: RightsHolder) => void
}

const nameOf = ({ environment, userId }: RightsHolder): string => `${environment}/${userId}`

const requestFields = ["id", "environment", "userId", "serviceId", "kind", "askedAt", "dueAt"] as const
const endFields = ["status", "closedAt", "closedBy"] as const

const watchRequests = (world: World): void => {
  const { state } = world
  observe(state.rightsRequests, (id, before, after) => {
    // Retention may delete closed requests.
    if (after === undefined && before !== undefined && before.status !== "OPEN") return
    checkMove(world, "rights request", id, before?.status, after?.status)
    if (after === undefined) return
    const others = [...state.rightsRequests.values()].filter(
      (other) =>
        other.id !== id && other.status === "OPEN" && other.kind === after.kind && nameOf(other) === nameOf(after)
    )
    const isOnly = after.status !== "OPEN" || others.length === 0
    world.require(isOnly, "lifecycle", () => `${world.nameOf(id)} is the second open one of its kind`)
    if (before === undefined) return
    const isKept =
      isSameIn(world, before, after, requestFields) &&
      (before.status === "OPEN" || isSameIn(world, before, after, endFields))
    world.require(isKept, "lifecycle", () => `${world.nameOf(id)} changed`)
  })
}

/**
 * Checks that a restricted person's data is not read, and that the person is not asked for it. A person may have at
 * most one open rights request of each kind.
 */
export const watchRights = (world: World): RightsBook => {
  const { state } = world
  const restricted = new Set<string>()
  /**
   * People for whom `lifting` was called. A lift that got no response may take effect at any later time. Whether these
   * people are restricted is therefore unknown.
   */
  const everLifted = new Set<string>()
  watchRequests(world)
  observe(state.identityReads, (id, before, read) => {
    if (before !== undefined || read === undefined) return
    world.require(
      !restricted.has(nameOf(read)),
      "reads_need_grant",
      () => `${world.nameOf(id)} reads ${world.nameOf(read.userId)}, who is restricted`
    )
  })
  observe(state.dataRequests, (id, before, after) => {
    if (before !== undefined || after?.request.status !== "PENDING") return
    const { request } = after
    world.require(
      !restricted.has(nameOf(request)),
      "asking_bounds",
      () => `${world.nameOf(id)} asks ${world.nameOf(request.userId)}, who is restricted`
    )
  })
  return {
    restricted: (person) => {
      if (everLifted.has(nameOf(person))) return
      restricted.add(nameOf(person))
      world.reach("person restricted")
    },
    lifting: (person) => {
      restricted.delete(nameOf(person))
      everLifted.add(nameOf(person))
      world.reach("restriction lifted")
    }
  }
}
