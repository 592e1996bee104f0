import { PersonRights } from "@surety/core/person/PersonRights"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { Retention } from "@surety/core/retention/Retention"
import { Effect } from "effect"
import { type Act, callAs, personOf, type Scene, scopeOf } from "./Scene.js"

const actor = "operator"
const reason = "asked by the person"

/** A person asks for a copy, a correction or their deletion on their page. */
export const askRight = (scene: Scene, act: Act): void => {
  const { draw } = act
  const { environment, serviceId, userId } = personOf(scene, scopeOf(scene, draw), draw)
  const kind = draw.pick(["EXPORT", "RECTIFY", "ERASE"] as const)
  callAs(scene, {
    act,
    does: `asks the platform for ${kind} as ${scene.world.nameOf(userId)}`,
    call: Effect.flatMap(RightsRequests, (rights) => rights.ask({ environment, userId, serviceId, kind })),
    repeats: 1
  })
}

/** The operator closes what a person has asked for. */
export const answerRight = (scene: Scene, act: Act): void => {
  const { world } = scene
  const requests = [...world.state.rightsRequests.values()]
  if (requests.length === 0) return
  const { environment, id } = act.draw.pick(requests)
  const status = act.draw.pick(["DONE", "REFUSED"] as const)
  callAs(scene, {
    act,
    does: `closes ${world.nameOf(id)} as ${status}`,
    call: Effect.flatMap(RightsRequests, (rights) => rights.close({ environment, id, status, actor, reason })),
    repeats: 1
  })
}

/** The operator restricts processing of a person, or lifts it. */
export const restrict = (scene: Scene, act: Act): void => {
  const { draw } = act
  const { environment, serviceId, userId } = personOf(scene, scopeOf(scene, draw), draw)
  const isLift = draw.chance(0.4)
  const command = { environment, serviceId, actor, reason }
  if (isLift) scene.rights.lifting({ environment, userId })
  callAs(scene, {
    act,
    does: `${isLift ? "lifts the restriction of" : "restricts"} ${scene.world.nameOf(userId)}`,
    call: Effect.flatMap(
      PersonRights,
      (rights): Effect.Effect<unknown, unknown> => (isLift ? rights.liftRestriction(command) : rights.restrict(command))
    ),
    repeats: 1,
    onSuccess: () => {
      if (!isLift) scene.rights.restricted({ environment, userId })
    }
  })
}

/** The operator looks at what retention would take. */
export const previewRetention = (scene: Scene, act: Act): void =>
  callAs(scene, {
    act,
    does: "looks at what retention would take",
    call: Effect.flatMap(Retention, (retention) => retention.preview),
    repeats: 0
  })
