import { NGN } from "@surety/core/Currency"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { type OperatorTransferInput, OperatorTransfers, transferPosted } from "@surety/core/ledger/OperatorTransfers"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { PersonSights, type Sight } from "@surety/core/operator/PersonSights"
import { OperatorSessions } from "@surety/core/operator/session/OperatorSessions"
import { Effect, Option } from "effect"
import { operators } from "./PersonActs.js"
import { type Act, callAs, personOf, type Scene, scopeOf } from "./Scene.js"

export const signIn = (scene: Scene, act: Act): void => {
  const operator = act.draw.pick(operators)
  const call = Effect.flatMap(OperatorSessions, (sessions) =>
    sessions.open({ operator, roles: ["admin"], signedInBy: "HOST" })
  )
  callAs(scene, {
    act,
    does: `signs in as ${operator}`,
    call,
    repeats: 0,
    onSuccess: (opened) => scene.sessions.opened(opened)
  })
}

/** A browser returns with its session, which may have ended. */
export const comeBack = (scene: Scene, act: Act): void => {
  const known = scene.sessions.known()
  if (known.length === 0) {
    signIn(scene, act)
    return
  }
  const over = known.filter(({ session: { id } }) => scene.sessions.isOver(id))
  const ended = over.filter(({ session: { id } }) => scene.sessions.wasEnded(id))
  const { session, token } = act.draw.pick(
    act.draw.weighted([
      [3, known.slice(-2)],
      [over.length > 0 ? 2 : 0, over.slice(-2)],
      [ended.length > 0 ? 4 : 0, ended.slice(-1)]
    ])
  )
  scene.sessions.using(session.id)
  const call = Effect.flatMap(OperatorSessions, (sessions) =>
    Effect.tap(sessions.use(token), () => sessions.list(undefined, { limit: 5, cursor: undefined }))
  )
  callAs(scene, {
    act,
    does: `opens the console in ${scene.world.nameOf(session.id)}`,
    call,
    repeats: 0,
    onSuccess: (found, sentAtMillis) => {
      if (Option.isSome(found)) scene.sessions.used(found.value, session.id, sentAtMillis)
    }
  })
}

/** An operator ends a session, or all sessions of one operator: their own or a colleague's. */
export const signOut = (scene: Scene, act: Act): void => {
  const known = scene.sessions.known()
  if (known.length === 0) {
    signIn(scene, act)
    return
  }
  const { session } = act.draw.pick(known.slice(-2))
  const actor = act.draw.pick(operators)
  const isAll = act.draw.chance(0.3)
  const ended = known.filter((one) =>
    isAll ? one.session.operator === session.operator : one.session.id === session.id
  )
  callAs(scene, {
    act,
    does: `ends ${isAll ? `all sessions of ${session.operator}` : scene.world.nameOf(session.id)}, as ${actor}`,
    call: Effect.flatMap(
      OperatorSessions,
      (sessions): Effect.Effect<unknown, unknown> =>
        isAll ? sessions.endAll(session.operator, actor) : sessions.end(session.id, actor)
    ),
    repeats: 2,
    onSuccess: () => {
      for (const one of ended) scene.sessions.ended(one.session.id)
    }
  })
}

const sightOf = (scene: Scene, { draw }: Act): Sight | undefined => {
  const known = scene.sessions.known()
  if (known.length === 0) return undefined
  const { session } = draw.pick(known.slice(-3))
  const { environment, serviceId } = personOf(scene, scopeOf(scene, draw), draw)
  return { session: session.id, operator: session.operator, environment, serviceId }
}

/** All operators are idle for 20 minutes, 40 minutes or 25 hours, which may end their sessions. */
export const leave = (scene: Scene, act: Act): void => {
  const { world } = scene
  const { draw } = act
  const minutes = draw.pick([20, 40, 40, 25 * 60])
  world.tell(() => `the console is left alone for ${minutes} minutes`)
  world.agenda.leap(minutes * 60_000)
  // Runs before any worker wakes, since an ended session must be refused even if it has not been swept yet.
  if (draw.chance(0.8)) comeBack(scene, act)
}

/** An operator reveals a person's details and gives a reason. */
export const look = (scene: Scene, act: Act): void => {
  const sight = sightOf(scene, act)
  if (sight === undefined) {
    signIn(scene, act)
    return
  }
  callAs(scene, {
    act,
    does: `uncovers a person's details in ${scene.world.nameOf(sight.session)}`,
    call: Effect.flatMap(PersonSights, (sights) => sights.look(sight, "a call of theirs")),
    repeats: 1,
    onSuccess: () => scene.operators.acted("person.looked_at", sight.serviceId)
  })
}

/** An operator opens a person's page. It shows details only for a limited time after the session revealed them. */
export const openPerson = (scene: Scene, act: Act): void => {
  const sight = sightOf(scene, act)
  if (sight === undefined) {
    signIn(scene, act)
    return
  }
  const call = Effect.flatMap(PersonSights, (sights) => sights.until(sight))
  callAs(scene, {
    act,
    does: `opens a person's page in ${scene.world.nameOf(sight.session)}`,
    call,
    repeats: 1,
    onSuccess: (until, sentAtMillis) => {
      if (Option.isSome(until)) scene.operators.saw(sight, until.value, sentAtMillis)
    }
  })
}

const amountOf = ({ draw }: Act) => ({ currency: NGN, minor: BigInt(draw.pick([1, 5, 50, 500])) })

/** Draws an operator's transfer, often for the story's main merchant or person. */
export const drawnTransfer = (scene: Scene, act: Act): OperatorTransferInput => {
  const { draw } = act
  const scope = scopeOf(scene, draw)
  const { environment, merchantId } = scope
  const ofPerson = draw.chance(0.5)
  const kind = draw.pick(
    ofPerson ? (["WITHDRAWAL", "FUNDING", "ADJUSTMENT"] as const) : (["PAYOUT", "FUNDING", "ADJUSTMENT"] as const)
  )
  return {
    kind,
    ...(kind === "ADJUSTMENT" ? { direction: draw.pick(["CREDIT", "DEBIT"] as const) } : {}),
    environment,
    amount: amountOf(act),
    party: ofPerson ? { serviceId: personOf(scene, scope, draw).serviceId } : { merchantId },
    reason: "as agreed"
  }
}

export const transfer = (scene: Scene, act: Act): void => {
  const key = IdempotencyKey.make(`transfer-${act.draw.below(6)}`)
  const wanted = act.draw.chance(0.8) ? { label: String(key), draw: scene.world.draw(key) } : act
  const input = drawnTransfer(scene, wanted)
  const actor = act.draw.pick(operators)
  const post = Effect.flatMap(OperatorActions, (actions) =>
    Effect.flatMap(OperatorTransfers, (transfers) =>
      actions.record(actor, transfers.post(key, input), ({ posted, replayed }) =>
        replayed ? undefined : transferPosted(posted)
      )
    )
  )
  // Posts like a server with or without the setting `FOUR_EYES_HTTP`.
  const call = act.draw.chance(0.5)
    ? post
    : Effect.flatMap(Approvals, (approvals) => approvals.postAlone(key, input, actor))
  callAs(scene, {
    act,
    does: `posts ${input.kind} of ${input.amount.minor} by ${key}, as ${actor}`,
    call,
    repeats: 3,
    onSuccess: ({ posted }) => scene.operators.posted(key, posted)
  })
}

/** An operator reads the actions of one operator or of all operators. */
export const review = (scene: Scene, act: Act): void => {
  const actor = act.draw.chance(0.5) ? act.draw.pick(operators) : undefined
  const nothing = { kind: undefined, target: undefined, merchantId: undefined, serviceId: undefined }
  const call = Effect.flatMap(OperatorActions, (actions) =>
    actions.list({ actor, ...nothing, since: undefined, until: undefined }, { limit: 10, cursor: undefined })
  )
  callAs(scene, {
    act,
    does: `reads the actions of ${actor ?? "all operators"}`,
    call,
    repeats: 1,
    onSuccess: ({ data }) => {
      for (const action of data) scene.operators.listed(action, actor)
    }
  })
}
