import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { Grants } from "@surety/core/consent/grant/Grants"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { Consumers } from "@surety/core/consumer/Consumers"
import { specified } from "@surety/core/consumer/IdentityField"
import { askingBlockLifted, consentLinkIssued, grantRevoked } from "@surety/core/operator/actionDrafts"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { DateTime, Effect, Option } from "effect"
import { tokenIn } from "../host/SimulatedPeople.js"
import { operators } from "./PersonActs.js"
import {
  type Act,
  callAs,
  fieldSets,
  nameOfScope,
  personOf,
  type Scene,
  scopeIn,
  scopeOf,
  shownNotice
} from "./Scene.js"

/** A host records a grant for a person who has consented outside Surety. */
export const grant = (scene: Scene, act: Act): void => {
  const { draw } = act
  const blocks = [...scene.world.state.askingBlocks.values()].filter(({ liftedAt }) => liftedAt === undefined)
  const blocked = blocks.length > 0 && draw.chance(0.3) ? draw.pick(blocks) : undefined
  const scope = blocked === undefined ? scopeOf(scene, draw) : scopeIn(blocked)
  const person = blocked ?? personOf(scene, scope, draw)
  const fields = draw.pick(fieldSets)
  const [lifetime, text] = draw.pick([
    [undefined, ""],
    [{ milliseconds: 150 }, " for 150 ms"],
    [{ seconds: 3 }, " for 3 seconds"],
    [{ seconds: 3 }, " for 3 seconds"],
    [{ hours: 1 }, " for an hour"]
  ] as const)
  callAs(scene, {
    act,
    does: `grants ${fields.join(", ")} of ${scene.world.nameOf(person.userId)} to ${nameOfScope(scene, scope)}${text}`,
    call: Effect.flatMap(Grants, (grants) =>
      Effect.flatMap(DateTime.now, (now) =>
        grants.create(scope, {
          serviceId: person.serviceId,
          fields,
          origin: "HOST",
          actor: { kind: "HOST" },
          ...(lifetime === undefined ? {} : { expiresAt: DateTime.add(now, lifetime) })
        })
      )
    ),
    repeats: 0
  })
}

/**
 * A person revokes one or all consents on the page that follows a decision, or the operator revokes one. The person may
 * also try to revoke another person's consent, or to open another person's receipt. Both attempts must fail.
 */
export const revoke = (scene: Scene, act: Act): void => {
  const { cluster, world } = scene
  const { draw } = act
  const active = [...world.state.grants.values()].filter(({ status }) => status === "ACTIVE")
  if (active.length === 0) return
  const links = [...cluster.people.tokens].flatMap(([id, link]) => {
    const request = world.state.dataRequests.get(id)?.request
    return request?.decidedBy?.kind === "PERSON" ? [{ ...link, merchantId: request.merchantId }] : []
  })
  if (draw.chance(0.3) || links.length === 0) {
    const target = draw.pick(active)
    callAs(scene, {
      act,
      does: `revokes ${world.nameOf(target.id)} as the operator`,
      call: Effect.gen(function* () {
        const { record } = yield* OperatorActions
        const { revokeOnce } = yield* Grants
        const revoked = revokeOnce({ id: target.id, scope: undefined }, { actor: { kind: "OPERATOR" } })
        yield* record(draw.pick(operators), revoked, grantRevoked(undefined))
      }),
      repeats: 1
    })
    return
  }
  const { merchantId, token, userId } = draw.pick(links.slice(-2))
  const others = active.filter((grant) => grant.userId !== userId && grant.merchantId === merchantId)
  const target = draw.pick(others.length > 0 && draw.chance(0.8) ? others : active)
  const all = draw.chance(0.2)
  const foreign = [...world.state.receipts.values()].find((receipt) => receipt.userId !== userId)
  const call = Effect.gen(function* () {
    const person = yield* PersonConsents
    const manager = yield* person.open(yield* person.managementToken(token))
    const shown = yield* person.grants(manager, { limit: 20, cursor: undefined })
    yield* person.reads(manager, { limit: 5, cursor: undefined })
    const lastReads = yield* person.lastReads(
      manager,
      shown.data.map(({ record }) => record)
    )
    const receipts = yield* person.receipts(manager, { limit: 5, cursor: undefined })
    for (const { id } of receipts.data.slice(0, 1)) yield* person.receipt(manager, id)
    const opened =
      foreign === undefined ? Option.none() : Option.flatten(yield* Effect.option(person.receipt(manager, foreign.id)))
    if (all) yield* person.revokeAll(manager, shownNotice)
    const revoked = all ? Option.none() : yield* Effect.option(person.revoke(manager, target.id, shownNotice))
    return { shown: shown.data, lastReads: [...lastReads], revoked, opened }
  })
  callAs(scene, {
    act,
    does: `revokes ${all ? "everything" : world.nameOf(target.id)} as ${world.nameOf(userId)}`,
    call,
    repeats: 1,
    onSuccess: ({ lastReads, opened, revoked, shown }) => {
      for (const [grantId, lastRead] of lastReads) {
        world.require(
          lastRead.userId === userId,
          "own_consents_only",
          () => `${world.nameOf(userId)} was shown a read of another person under ${world.nameOf(grantId)}`
        )
      }
      world.require(
        Option.isNone(opened),
        "own_consents_only",
        () => `${world.nameOf(userId)} opened ${world.nameOf(foreign?.id ?? "")} of another person`
      )
      world.require(
        Option.isNone(revoked) || target.userId === userId,
        "own_consents_only",
        () => `${world.nameOf(userId)} revoked ${world.nameOf(target.id)} of another person`
      )
      for (const { record } of shown) {
        world.require(
          record.userId === userId,
          "own_consents_only",
          () => `${world.nameOf(userId)} was shown ${world.nameOf(record.id)} of another person`
        )
      }
    }
  })
}

export const read = (scene: Scene, act: Act): void => {
  const { book, world } = scene
  const { draw } = act
  const grants = [...world.state.grants.values()]
  // Often picks one of the newest ended grants. A merchant must not read under an ended grant, even before its end is
  // recorded.
  const over = grants.filter(
    ({ expiresAt, status }) => status !== "ACTIVE" || DateTime.toEpochMillis(expiresAt) <= world.nowMillis
  )
  const recent = over.length > 0 && draw.chance(0.5) ? over.slice(-2) : grants.slice(-2)
  const granted = recent.length > 0 && draw.chance(0.8) ? draw.pick(recent) : undefined
  const scope = granted === undefined ? scopeOf(scene, draw) : scopeIn(granted)
  const person = scene.consumers.find(({ userId }) => userId === granted?.userId) ?? personOf(scene, scope, draw)
  const fields = draw.chance(0.5) ? specified : draw.pick(fieldSets)
  const call = Effect.flatMap(IdentityReads, (reads) => reads.read(scope, { serviceId: person.serviceId, fields }))
  callAs(scene, {
    act,
    does: `reads ${fields.length === specified.length ? "everything" : fields.join(", ")} of ${world.nameOf(person.userId)}, as ${nameOfScope(scene, scope)}`,
    call,
    repeats: 1,
    onSuccess: (identity, sentAtMillis) => book.read(scope, person.userId, identity, sentAtMillis)
  })
}

/** The operator issues a management link for a person, and the person opens it. */
export const link = (scene: Scene, act: Act): void => {
  const { environment, serviceId, userId } = personOf(scene, scopeOf(scene, act.draw), act.draw)
  const call = Effect.gen(function* () {
    const { record } = yield* OperatorActions
    const { issue, open } = yield* ManagementLinks
    const person = yield* (yield* Consumers).get(environment, serviceId)
    const issued = yield* record(operators[0], issue(person), () => consentLinkIssued(person))
    return yield* open(tokenIn(issued.url))
  })
  callAs(scene, {
    act,
    does: `hands ${scene.world.nameOf(userId)} a link to their consents`,
    call,
    repeats: 1,
    onSuccess: (manager) =>
      scene.world.require(
        manager.userId === userId,
        "own_consents_only",
        () => `the link of ${scene.world.nameOf(userId)} opens ${scene.world.nameOf(manager.userId)}`
      )
  })
}

export const lift = (scene: Scene, act: Act): void => {
  const blocks = [...scene.world.state.askingBlocks.values()].filter(({ liftedAt }) => liftedAt === undefined)
  if (blocks.length === 0) return
  const block = act.draw.pick(blocks)
  callAs(scene, {
    act,
    does: `lifts the block between ${nameOfScope(scene, block)} and ${scene.world.nameOf(block.userId)}`,
    call: Effect.gen(function* () {
      const { record } = yield* OperatorActions
      const { lift: lifted } = yield* AskingBlocks
      yield* record(operators[0], lifted(block, block.serviceId), (reason) =>
        askingBlockLifted(block, block.serviceId, reason)
      )
    }),
    repeats: 1
  })
}

/** A visitor opens a consent link as a management link. This must fail. */
export const guess = (scene: Scene, act: Act): void => {
  const token = scene.cluster.people.tokens.values().next().value?.token
  if (token === undefined) return
  callAs(scene, {
    act,
    does: "opens a consent link as a management link",
    call: Effect.flatMap(ManagementLinks, (links) => links.open(token)),
    repeats: 0,
    onSuccess: () => scene.world.violate("own_consents_only", "a consent link opened the management page")
  })
}
