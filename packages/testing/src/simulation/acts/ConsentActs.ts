import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { Grants } from "@surety/core/consent/grant/Grants"
import { ConsentLinks } from "@surety/core/consent/link/ConsentLinks"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import { canonicalDataRequest, type DataRequestCommand } from "@surety/core/consent/request/DataRequestCommand"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { IdentityField, specified } from "@surety/core/consumer/IdentityField"
import type { DataRequestId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { isOf, scopedKey } from "@surety/core/memory/MemoryState"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { DateTime, Effect, Option, type Redacted } from "effect"
import { tokenIn } from "../host/SimulatedPeople.js"
import type { Services } from "../world/Cluster.js"
import type { Draw } from "../world/Draw.js"
import { type Act, ask, commandDraw, copiesOf, keyOf, nameOfScope, personOf, type Scene, scopeOf } from "./Scene.js"

const notice = { version: "1.0", language: "en" }

const sets = [["email"], ["email", "country"], ["display_name"], ["kyc_status", "phone_verified"]].map((names) =>
  names.map((name) => IdentityField.make(name))
)

export const request = (scene: Scene, act: Act): void => {
  const { world } = scene
  const { draw } = act
  const scope = scopeOf(scene, draw)
  const key = keyOf(scene, "request", draw)
  const wanted = commandDraw(scene, scope, key, act)
  const person = personOf(scene, scope, wanted)
  const earlier = [...world.state.dataRequests.values()]
    .map((stored) => stored.request)
    .filter((one) => isOf(scope, one) && one.userId === person.id)
  const denied = earlier.findLast(({ status }) => status === "DENIED")
  const again = wanted.chance(0.4) ? (denied ?? earlier.at(-1)) : undefined
  const command: DataRequestCommand = {
    serviceId: person.serviceId,
    requestedFields: again?.requestedFields ?? wanted.pick(sets),
    purpose: again?.purpose ?? (wanted.chance(0.3) ? "delivery" : undefined)
  }
  askPerson(scene, act, scope, key, command)
}

/** A merchant asks again what a person has just denied, by another key. */
export const insist = (scene: Scene, act: Act): void => {
  const denied = [...scene.world.state.dataRequests.values()].findLast(({ request: { status } }) => status === "DENIED")
  if (denied === undefined) {
    request(scene, act)
    return
  }
  const { purpose, requestedFields, serviceId } = denied.request
  const key = IdempotencyKey.make(`request-again-${act.draw.below(1_000)}`)
  askPerson(scene, act, scopeIn(denied.request), key, { serviceId, requestedFields, purpose })
}

const askPerson = (
  scene: Scene,
  act: Act,
  scope: MerchantScope,
  key: IdempotencyKey,
  command: DataRequestCommand
): void => {
  const { book, world } = scene
  const person = scene.consumers.find(({ serviceId }) => serviceId === command.serviceId)
  const call = Effect.flatMap(DataRequests, (requests) => requests.create(scope, key, command))
  for (const copy of copiesOf(act)) {
    ask(scene, {
      act: copy,
      does: `asks ${world.nameOf(person?.id ?? "no one")} for ${command.requestedFields.join(", ")} by ${key}, as ${nameOfScope(scene, scope)}`,
      call,
      repeats: act.draw.pick([0, 2]),
      onSuccess: ({ consentUrl, request: record, response }) => {
        // In TEST the merchant decides in the person's place.
        if (consentUrl !== undefined) {
          scene.cluster.people.tokens.set(record.id, { token: tokenIn(consentUrl), userId: record.userId })
        }
        book.own(scope, record, record.id)
        book.accepted(scope, {
          key,
          command: canonicalDataRequest(command),
          response,
          madeAt: record.createdAt,
          isKeptForEver: false
        })
      },
      onRefusal: ({ _tag }) => {
        const holds = world.state.dataRequestsByKey.has(scopedKey(scope, key))
        const isTrue = _tag !== "IdempotencyKeyReused" || holds
        world.require(isTrue, "refusals_are_true", () => `${key} was called used and no request has it`)
      }
    })
  }
}

/** What a person does on the page of a link, from opening it to the button. */
const onPage = (
  token: Redacted.Redacted<string>,
  decide: (
    person: PersonConsents["Service"],
    link: Effect.Success<ReturnType<PersonConsents["Service"]["question"]>>
  ) => Effect.Effect<unknown, unknown>
): Effect.Effect<unknown, unknown, Services> =>
  Effect.gen(function* () {
    const person = yield* PersonConsents
    return yield* decide(person, yield* person.question(token))
  })

/** A person's decision on the page, perhaps another one in a second tab. */
export const decide = (scene: Scene, act: Act): void => {
  const { cluster, world } = scene
  const isWaiting = (id: DataRequestId) => world.state.dataRequests.get(id)?.request.status === "PENDING"
  const everything = [...cluster.people.tokens]
  const waiting = everything.filter(([id]) => isWaiting(id))
  const links = waiting.length > 0 && act.draw.chance(0.85) ? waiting : everything.slice(-3)
  if (links.length === 0) {
    operatorDecides(scene, act)
    return
  }
  const [id, { token }] = act.draw.pick(links)
  const tabs = act.draw.chance(0.3) ? 2 : 1
  for (let tab = 0; tab < tabs; tab += 1) {
    const draw = world.draw(`${act.label} tab ${tab}`)
    const button = draw.weighted([
      [5, "approves"],
      [4, "denies"],
      [1, "disowns"],
      [0.5, "stops"]
    ] as const)
    const label = tabs === 1 ? act.label : `${act.label} tab ${tab + 1}`
    ask(scene, {
      act: { label, draw },
      does: `${button} ${world.nameOf(id)}`,
      call: onPage(token, (person, link) => {
        switch (button) {
          case "approves":
            return person.approve(link, { fields: chosenOf(link.request, draw), notice })
          case "denies":
            return person.deny(link, { reason: "DECLINED", notice })
          case "disowns":
            return person.deny(link, { reason: "NOT_ME", notice })
          case "stops":
            return person.stopAsking(link)
        }
      }),
      repeats: 1
    })
  }
}

const chosenOf = ({ requestedFields }: DataRequest, draw: Draw): ReadonlyArray<string> =>
  draw.chance(0.3) ? requestedFields.slice(0, 1) : requestedFields

const pendingOf = ({ world }: Scene): ReadonlyArray<DataRequest> =>
  [...world.state.dataRequests.values()].map(({ request }) => request).filter(({ status }) => status === "PENDING")

const operatorDecides = (scene: Scene, act: Act): void => {
  const pending = pendingOf(scene)
  if (pending.length === 0) return
  const { id } = act.draw.pick(pending)
  const approves = act.draw.chance(0.7)
  const actor = { kind: "OPERATOR" } as const
  ask(scene, {
    act,
    does: `${approves ? "approves" : "denies"} ${scene.world.nameOf(id)} as the operator`,
    call: Effect.flatMap(
      DataRequests,
      (requests): Effect.Effect<unknown, unknown> =>
        approves
          ? requests.approve({ id, scope: undefined }, { actor })
          : requests.deny({ id, scope: undefined }, { actor, reason: "DECLINED" })
    ),
    repeats: 1
  })
}

export const cancel = (scene: Scene, act: Act): void => {
  const pending = pendingOf(scene)
  if (pending.length === 0) return
  const request = act.draw.pick(pending)
  ask(scene, {
    act,
    does: `cancels ${scene.world.nameOf(request.id)}`,
    call: Effect.flatMap(DataRequests, (requests) => requests.cancel(request, request.id)),
    repeats: 1
  })
}

/** A host grants, since the person has consented elsewhere. */
export const grant = (scene: Scene, act: Act): void => {
  const { draw } = act
  const scope = scopeOf(scene, draw)
  const person = personOf(scene, scope, draw)
  const fields = draw.pick(sets)
  const lifetime = draw.pick([undefined, { millis: 150 }, { seconds: 3 }, { hours: 1 }])
  ask(scene, {
    act,
    does: `grants ${fields.join(", ")} of ${scene.world.nameOf(person.id)} to ${nameOfScope(scene, scope)}`,
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

/** A person takes a consent back, or all of them, on the page that a decision led to. */
export const revoke = (scene: Scene, act: Act): void => {
  const { cluster, world } = scene
  const { draw } = act
  const active = [...world.state.grants.values()].filter(({ status }) => status === "ACTIVE")
  if (active.length === 0) return
  const target = draw.pick(active)
  const links = [...cluster.people.tokens]
    .filter(([id]) => world.state.dataRequests.get(id)?.request.decidedBy?.kind === "PERSON")
    .map(([, link]) => link)
  if (draw.chance(0.3) || links.length === 0) {
    ask(scene, {
      act,
      does: `revokes ${world.nameOf(target.id)} as the operator`,
      call: Effect.flatMap(Grants, (grants) =>
        grants.revoke({ id: target.id, scope: undefined }, { actor: { kind: "OPERATOR" } })
      ),
      repeats: 1
    })
    return
  }
  const { token, userId } = draw.pick(links.slice(-2))
  const all = draw.chance(0.2)
  const call = Effect.gen(function* () {
    const person = yield* PersonConsents
    const manager = yield* person.open(yield* person.managementToken(token))
    const shown = yield* person.grants(manager, { limit: 20, cursor: undefined })
    if (all) yield* person.revokeAll(manager, notice)
    const revoked = all ? Option.none() : yield* Effect.option(person.revoke(manager, target.id, notice))
    return { shown: shown.data, revoked }
  })
  ask(scene, {
    act,
    does: `revokes ${all ? "everything" : world.nameOf(target.id)} as ${world.nameOf(userId)}`,
    call,
    repeats: 1,
    onSuccess: ({ revoked, shown }) => {
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

const scopeIn = ({ environment, merchantId }: MerchantScope): MerchantScope => ({ merchantId, environment })

export const read = (scene: Scene, act: Act): void => {
  const { book, world } = scene
  const { draw } = act
  const grants = [...world.state.grants.values()]
  const granted = draw.chance(0.6) ? grants.at(-1 - draw.below(2)) : undefined
  const scope = granted === undefined ? scopeOf(scene, draw) : scopeIn(granted)
  const person = scene.consumers.find(({ id }) => id === granted?.userId) ?? personOf(scene, scope, draw)
  const fields = draw.chance(0.5) ? specified : draw.pick(sets)
  const call = Effect.flatMap(IdentityReads, (reads) => reads.read(scope, { serviceId: person.serviceId, fields }))
  ask(scene, {
    act,
    does: `reads ${fields.length === specified.length ? "everything" : fields.join(", ")} of ${world.nameOf(person.id)}, as ${nameOfScope(scene, scope)}`,
    call,
    repeats: 1,
    onSuccess: (identity, sentAtMillis) => book.read(scope, person.id, identity, sentAtMillis)
  })
}

/** The operator lets a merchant ask again. */
export const lift = (scene: Scene, act: Act): void => {
  const blocks = [...scene.world.state.askingBlocks.values()].filter(({ liftedAt }) => liftedAt === undefined)
  if (blocks.length === 0) return
  const block = act.draw.pick(blocks)
  ask(scene, {
    act,
    does: `lifts the block between ${nameOfScope(scene, block)} and ${scene.world.nameOf(block.userId)}`,
    call: Effect.flatMap(AskingBlocks, (asking) => asking.lift(block, block.serviceId)),
    repeats: 1
  })
}

/** Someone tries a link that never was. */
export const guess = (scene: Scene, act: Act): void => {
  const token = scene.cluster.people.tokens.values().next().value?.token
  if (token === undefined) return
  ask(scene, {
    act,
    does: "opens a consent link as a management link",
    call: Effect.flatMap(ConsentLinks, (links) => links.openManagement(token)),
    repeats: 0,
    onSuccess: () => scene.world.violate("own_consents_only", "a consent link opened the management page")
  })
}
