import type { Consumer } from "@surety/core/consumer/Consumer"
import type { ConsumerChange } from "@surety/core/consumer/changeConsumer"
import { environmentKey } from "@surety/core/memory/MemoryState"
import { PersonRights, type RightsCommand } from "@surety/core/person/PersonRights"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { Retention } from "@surety/core/retention/Retention"
import { Effect, Redacted } from "effect"
import { type Act, callAs, personOf, type Scene, scopeOf } from "./Scene.js"

const reason = "asked by the person"

export const operators = ["ada", "bola", "chi"] as const

const commandOf = (scene: Scene, { draw }: Act): RightsCommand & { readonly userId: string } => {
  const { environment, serviceId, userId } = personOf(scene, scopeOf(scene, draw), draw)
  return { environment, serviceId, userId, actor: draw.pick(operators), reason }
}

const personOfCast = ({ environment, serviceId, userId }: Consumer) => ({ environment, serviceId, userId })

/** The operator gives a person a copy of all their records. */
export const access = (scene: Scene, act: Act): void => {
  const anyone = commandOf(scene, act)
  // Prefers a person who is already erased. Their export must fail.
  const [gone] = scene.consumers.filter(({ environment, serviceId }) =>
    scene.world.state.erasedPeople.has(environmentKey(environment, serviceId))
  )
  const command = gone !== undefined && act.draw.chance(0.6) ? { ...anyone, ...personOfCast(gone) } : anyone
  const call = Effect.flatMap(PersonRights, (rights) => rights.export(command))
  callAs(scene, {
    act,
    does: `exports what is held of ${scene.world.nameOf(command.userId)}, as ${command.actor}`,
    call,
    repeats: 1,
    onSuccess: (copy, sentAtMillis) => {
      const { person } = Redacted.value(copy)
      scene.operators.acted("person.exported", command.serviceId)
      scene.erasures.exported({ environment: command.environment, ...person }, command.serviceId, sentAtMillis)
    }
  })
}

export const rectify = (scene: Scene, act: Act): void => {
  const command = commandOf(scene, act)
  const change: ConsumerChange = act.draw.pick<ConsumerChange>([
    { displayName: Redacted.make(`${scene.world.nameOf(command.userId)} by ${act.label}`) },
    { country: act.draw.pick(["NG", "GH"]) },
    { email: Redacted.make(`${act.label.replace(" ", "-")}@people.example`) },
    { phoneVerified: act.draw.chance(0.5) }
  ])
  callAs(scene, {
    act,
    does: `corrects ${Object.keys(change).join()} of ${scene.world.nameOf(command.userId)}, as ${command.actor}`,
    call: Effect.flatMap(PersonRights, (rights) => rights.rectify({ ...command, change })),
    repeats: 1
  })
}

export const erase = (scene: Scene, act: Act): void => {
  const command = commandOf(scene, act)
  scene.cluster.holder.asksAlone.add(command.serviceId)
  const actorKind = act.draw.chance(0.3) ? "HOST" : "OPERATOR"
  const call = Effect.flatMap(PersonRights, (rights) => rights.erase({ ...command, actorKind }))
  callAs(scene, {
    act,
    does: `erases ${scene.world.nameOf(command.userId)}, as ${actorKind === "HOST" ? "the host" : command.actor}`,
    call,
    repeats: 2,
    onSuccess: ({ environment, serviceId }) => scene.erasures.erased({ environment, serviceId })
  })
}

/** A person requests a copy, correction or deletion of their data, on their page or by letter. */
export const askRight = (scene: Scene, act: Act): void => {
  const { draw } = act
  const { environment, serviceId, userId } = personOf(scene, scopeOf(scene, draw), draw)
  const kind = draw.pick(["EXPORT", "RECTIFY", "ERASE"] as const)
  const isLetter = draw.chance(0.3)
  callAs(scene, {
    act,
    does: `asks the platform for ${kind} as ${scene.world.nameOf(userId)}${isLetter ? ", by letter" : ""}`,
    call: Effect.flatMap(
      RightsRequests,
      (rights): Effect.Effect<unknown, unknown> =>
        isLetter
          ? rights.record({ environment, serviceId, kind })
          : rights.ask({ environment, userId, serviceId, kind, note: Redacted.make("please") })
    ),
    repeats: 1
  })
}

/** The operator closes a rights request. */
export const answerRight = (scene: Scene, act: Act): void => {
  const { world } = scene
  const requests = [...world.state.rightsRequests.values()]
  if (requests.length === 0) return
  const open = requests.filter(({ status }) => status === "OPEN")
  const { environment, id } = act.draw.pick(open.length > 0 && act.draw.chance(0.8) ? open : requests)
  const status = act.draw.pick(["DONE", "REFUSED"] as const)
  const actor = act.draw.pick(operators)
  callAs(scene, {
    act,
    does: `closes ${world.nameOf(id)} as ${status}`,
    call: Effect.flatMap(RightsRequests, (rights) =>
      Effect.andThen(
        rights.list(environment, "OPEN", { limit: 5, cursor: undefined }),
        rights.close({ environment, id, status, actor, reason })
      )
    ),
    repeats: 1
  })
}

export const restrict = (scene: Scene, act: Act): void => {
  const command = commandOf(scene, act)
  const { environment } = command
  const person = personIn(scene, command)
  const isLift = act.draw.chance(0.4)
  if (isLift) scene.rights.lifting(person)
  callAs(scene, {
    act,
    does: `${isLift ? "lifts the restriction of" : "restricts"} ${scene.world.nameOf(command.userId)}`,
    call: Effect.flatMap(PersonRights, (rights) =>
      isLift ? rights.liftRestriction(command) : rights.restrict(command)
    ),
    repeats: 1,
    onSuccess: () => {
      if (!isLift) scene.rights.restricted({ environment, userId: person.userId })
    }
  })
}

const personIn = ({ consumers }: Scene, { environment, serviceId }: RightsCommand) => {
  for (const consumer of consumers) {
    if (consumer.environment === environment && consumer.serviceId === serviceId) return consumer
  }
  throw new Error("the person is not of the cast")
}

export const retain = (scene: Scene, act: Act): void => {
  const takes = act.draw.chance(0.5)
  callAs(scene, {
    act,
    does: takes ? "has retention take what is over" : "looks at what retention would take",
    call: Effect.flatMap(Retention, (retention) => (takes ? retention.run : retention.preview)),
    repeats: 0
  })
}
