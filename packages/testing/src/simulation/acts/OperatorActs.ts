import { Consumers } from "@surety/core/consumer/Consumers"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import type { MerchantId } from "@surety/core/Ids"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { statusChanged } from "@surety/core/operator/actionDrafts"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { DateTime, Effect, Redacted } from "effect"
import { operators } from "./PersonActs.js"
import { type Act, callAs, nameOfScope, personOf, profileOf, type Scene, scopeOf } from "./Scene.js"

/** All machines pause for 3 seconds to half a year. Leases may end, requests may expire, and timers fire late. */
export const leap = ({ world }: Scene, { draw }: Act): void => {
  // In some stories, leaps of a month and of 80 days are frequent.
  const long = world.draw("leaps").pick([0.3, 0.3, 4])
  const [millis, text] = draw.weighted([
    [5, [3_000, "3 seconds"]],
    [5, [16_000, "16 seconds"]],
    [5, [61_000, "a minute"]],
    [3, [3_700_000, "an hour"]],
    [2, [90_000_000, "25 hours"]],
    [1, [650_000_000, "a week"]],
    [long, [2_700_000_000, "a month"]],
    [long, [7_000_000_000, "80 days"]],
    [0.3, [16_000_000_000, "half a year"]]
  ] as const)
  world.tell(() => `${text} pass`)
  world.agenda.leap(millis)
}

/** All machines pause for 30, 45 or 80 days, so that records may reach the age at which retention deletes them. */
export const sleepForMonths = ({ world }: Scene, { draw }: Act): void => {
  const days = draw.pick([30, 45, 80])
  world.tell(() => `${days} days pass`)
  world.agenda.leap(days * 86_400_000)
}

export const crash = (scene: Scene, { draw }: Act): void => scene.cluster.kill(draw.below(2))

export const unlink = (scene: Scene, act: Act): void => {
  const scope = scopeOf(scene, act.draw)
  const person = personOf(scene, scope, act.draw)
  const isLink = act.draw.chance(0.6)
  const { environment, merchantId } = scope
  callAs(scene, {
    act,
    does: `${isLink ? "links" : "unlinks"} ${scene.world.nameOf(person.userId)} and ${nameOfScope(scene, scope)}`,
    call: Effect.flatMap(
      Consumers,
      (consumers): Effect.Effect<unknown, unknown> =>
        isLink
          ? consumers.link(merchantId, environment, person.serviceId)
          : consumers.unlink(merchantId, environment, person.serviceId)
    ),
    repeats: 1
  })
}

/** The operator suspends or reactivates a merchant, and rarely closes one. */
export const judge = (scene: Scene, act: Act): void => {
  const { merchantId } = scopeOf(scene, act.draw)
  const status = scene.world.state.merchants.get(merchantId)?.status
  const to: MerchantStatus = act.draw.chance(0.1) ? "CLOSED" : status === "ACTIVE" ? "SUSPENDED" : "ACTIVE"
  changeStatus(scene, act, merchantId, to)
}

const changeStatus = (scene: Scene, act: Act, merchantId: MerchantId, to: MerchantStatus): void =>
  callAs(scene, {
    act,
    does: `makes ${scene.world.nameOf(merchantId)} ${to}`,
    call: Effect.gen(function* () {
      const { record } = yield* OperatorActions
      const merchants = yield* Merchants
      const [actor] = operators
      const change = Effect.andThen(
        merchants.changeStatus(merchantId, { to, actor, reason: undefined }),
        merchants.history(merchantId)
      )
      yield* record(actor, change, (history) => history.slice(-1).map(statusChanged)[0])
    }),
    repeats: 1
  })

/** The host creates another person linked to a merchant, or the operator changes a merchant's settings. */
export const arrange = (scene: Scene, act: Act): void => {
  const { environment, merchantId } = scopeOf(scene, act.draw)
  const isPerson = act.draw.chance(0.5)
  const settings = { settlementOverdraft: act.draw.chance(0.5) }
  callAs(scene, {
    act,
    does: isPerson ? "names another person" : `changes the settings of ${scene.world.nameOf(merchantId)}`,
    call: Effect.gen(function* () {
      if (!isPerson) return yield* (yield* Merchants).changeSettings(merchantId, settings)
      const displayName = Redacted.make(`Another by ${act.label}`)
      return yield* (yield* Consumers).create({ environment, displayName, phoneVerified: false }, merchantId)
    }),
    repeats: 0
  })
}

/** A merchant applies, or the operator changes a recent applicant's status. */
export const admit = (scene: Scene, act: Act): void => {
  const { draw } = act
  const applicants = [...scene.world.state.merchants.values()].filter(
    ({ id }) => !scene.scopes.some(({ merchantId }) => merchantId === id)
  )
  if (applicants.length === 0 || draw.chance(0.25)) {
    callAs(scene, {
      act,
      does: "applies as a merchant",
      call: Effect.flatMap(Merchants, (merchants) => merchants.apply(profileOf(`Applicant ${act.label}`), "applicant")),
      repeats: 0
    })
    return
  }
  const { id } = draw.pick(applicants.slice(-3))
  changeStatus(scene, act, id, draw.pick(MerchantStatus.literals))
}

/** A merchant disables or enables an endpoint, or resends an event. */
export const tend = (scene: Scene, act: Act): void => {
  const { world } = scene
  const disabled = scene.endpoints.filter(({ id }) => world.state.endpoints.get(id)?.status === "DISABLED")
  const { id, scope } = act.draw.pick(disabled.length > 0 && act.draw.chance(0.7) ? disabled : scene.endpoints)
  const events = [...world.state.events.values()].filter(({ event }) => event.merchantId === scope.merchantId)
  if (act.draw.chance(0.5) && events.length > 0) {
    const failed = events.filter(({ event }) =>
      [...world.state.deliveries.values()].some(
        ({ delivery }) => delivery.eventId === event.id && delivery.status === "FAILED"
      )
    )
    const { event } = act.draw.pick(failed.length > 0 && act.draw.chance(0.7) ? failed : events)
    callAs(scene, {
      act,
      does: `has ${world.nameOf(event.id)} sent again`,
      call: Effect.gen(function* () {
        return yield* (yield* EventLog).resend(scope, event.id, undefined, yield* DateTime.now)
      }),
      repeats: 1
    })
    return
  }
  const status = world.state.endpoints.get(id)?.status === "ENABLED" ? "DISABLED" : "ENABLED"
  callAs(scene, {
    act,
    does: `makes ${world.nameOf(id)} ${status}`,
    call: Effect.flatMap(WebhookEndpoints, (endpoints) => endpoints.update(scope.merchantId, id, { status })),
    repeats: 1
  })
}
