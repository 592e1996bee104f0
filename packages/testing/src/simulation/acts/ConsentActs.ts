import { isBlocking } from "@surety/core/consent/asking/AskingBlock"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import { canonicalDataRequest, type DataRequestCommand } from "@surety/core/consent/request/DataRequestCommand"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import type { DataRequestId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { isOf, scopedKey } from "@surety/core/memory/MemoryState"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { dataRequestDecided } from "@surety/core/operator/actionDrafts"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Effect, type Redacted } from "effect"
import { tokenIn } from "../host/SimulatedPeople.js"
import type { SimulatedServices } from "../world/Cluster.js"
import type { Draw } from "../world/Draw.js"
import { operators } from "./PersonActs.js"
import {
  type Act,
  callAs,
  commandDraw,
  copiesOf,
  fieldSets,
  keyOf,
  nameOfScope,
  personOf,
  type Scene,
  scopeIn,
  scopeOf,
  shownNotice
} from "./Scene.js"

export const request = (scene: Scene, act: Act): void => {
  const { world } = scene
  const { draw } = act
  const scope = scopeOf(scene, draw)
  const key = keyOf(scene, "request", draw)
  const wanted = commandDraw(scene, scope, key, act)
  const person = personOf(scene, scope, wanted)
  const earlier = [...world.state.dataRequests.values()]
    .map((stored) => stored.request)
    .filter((one) => isOf(scope, one) && one.userId === person.userId)
  const denied = earlier.findLast(({ status }) => status === "DENIED")
  const again = wanted.chance(0.4) ? (denied ?? earlier.at(-1)) : undefined
  const command: DataRequestCommand = {
    serviceId: person.serviceId,
    requestedFields: again?.requestedFields ?? wanted.pick(fieldSets),
    purpose: again?.purpose ?? (wanted.chance(0.3) ? "delivery" : undefined)
  }
  askPerson(scene, act, scope, key, command)
}

/** A merchant repeats a denied request under another key. If no request was denied, it makes an ordinary one. */
export const insist = (scene: Scene, act: Act): void => {
  const all = [...scene.world.state.dataRequests.values()]
  const disowned = all.findLast(({ request: { denialReason } }) => denialReason === "NOT_ME")
  const denied =
    disowned !== undefined && act.draw.chance(0.6)
      ? disowned
      : all.findLast(({ request: { status } }) => status === "DENIED")
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
    callAs(scene, {
      act: copy,
      does: `asks ${world.nameOf(person?.userId ?? "no one")} for ${command.requestedFields.join(", ")} by ${key}, as ${nameOfScope(scene, scope)}`,
      call,
      repeats: act.draw.pick([0, 2]),
      onSuccess: ({ consentUrl, request: record, response }) => {
        // Only TEST returns `consentUrl`, which lets the merchant decide instead of the person. In LIVE, the notifier
        // sends the link to the person.
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
        const holds = book.wasUsed(scope, key)
        const isTrue = _tag !== "IdempotencyKeyReused" || holds
        world.require(isTrue, "refusals_are_true", () => `${key} was called used and no request has it`)
      }
    })
  }
}

/** Simulates a person on the page of a consent link, from opening it to pressing a button. */
const onPage = (
  token: Redacted.Redacted<string>,
  decide: (
    person: PersonConsents["Service"],
    link: Effect.Success<ReturnType<PersonConsents["Service"]["question"]>>
  ) => Effect.Effect<unknown, unknown>
): Effect.Effect<unknown, unknown, SimulatedServices> =>
  Effect.gen(function* () {
    const person = yield* PersonConsents
    return yield* decide(person, yield* person.question(token))
  })

/** A person decides on the page, perhaps differently in a second tab, or the operator decides for the person. */
export const decide = (scene: Scene, act: Act): void => {
  const { cluster, world } = scene
  const isWaiting = (id: DataRequestId) => world.state.dataRequests.get(id)?.request.status === "PENDING"
  const everything = [...cluster.people.tokens]
  const waiting = everything.filter(([id]) => isWaiting(id))
  const links = waiting.length > 0 && act.draw.chance(0.85) ? waiting : everything.slice(-3)
  if (links.length === 0 || act.draw.chance(0.1)) {
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
      [2, "disowns"],
      [0.5, "stops"]
    ] as const)
    const label = tabs === 1 ? act.label : `${act.label} tab ${tab + 1}`
    callAs(scene, {
      act: { label, draw },
      does: `${button} ${world.nameOf(id)}`,
      call: onPage(token, (person, link) => {
        switch (button) {
          case "approves":
            return person.approve(link, { fields: chosenOf(link.request, draw), notice: shownNotice })
          case "denies":
            return person.deny(link, { reason: "DECLINED", notice: shownNotice })
          case "disowns":
            return person.deny(link, { reason: "NOT_ME", notice: shownNotice })
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
  const blocked = pending.filter((one) => isBlocking(scene.world.state.askingBlocks.get(scopedKey(one, one.userId))))
  const { id } = act.draw.pick(blocked.length > 0 && act.draw.chance(0.5) ? blocked : pending)
  const approves = act.draw.chance(0.7)
  const actor = { kind: "OPERATOR" } as const
  const target = { id, scope: undefined }
  callAs(scene, {
    act,
    does: `${approves ? "approves" : "denies"} ${scene.world.nameOf(id)} as the operator`,
    call: Effect.gen(function* () {
      const { record } = yield* OperatorActions
      const requests = yield* DataRequests
      const [name] = operators
      yield* approves
        ? record(
            name,
            Effect.map(requests.approve(target, { actor }), ({ request }) => request),
            dataRequestDecided("data_request.approved", undefined)
          )
        : record(
            name,
            requests.deny(target, { actor, reason: "DECLINED" }),
            dataRequestDecided("data_request.denied", undefined)
          )
    }),
    repeats: 1
  })
}

export const cancel = (scene: Scene, act: Act): void => {
  const pending = pendingOf(scene)
  if (pending.length === 0) return
  const request = act.draw.pick(pending)
  callAs(scene, {
    act,
    does: `cancels ${scene.world.nameOf(request.id)}`,
    call: Effect.flatMap(DataRequests, (requests) => requests.cancel(request, request.id)),
    repeats: 1
  })
}
