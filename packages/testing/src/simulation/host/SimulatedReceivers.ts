import type { DomainEvent } from "@surety/core/event/DomainEvent"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { EndpointId, EventId } from "@surety/core/Ids"
import { Effect } from "effect"
import { observe } from "../world/observe.js"
import { Actor } from "../world/SimulatedProcess.js"
import type { World } from "../world/World.js"

/** Merchants' servers, which get webhooks. */
export interface SimulatedReceivers {
  /** Posts an event. Returns the status of the answer; hangs if none comes. */
  readonly post: (endpoint: WebhookEndpoint, event: DomainEvent) => Effect.Effect<number>
  /** Whether the endpoint took the event with a 2xx. */
  readonly hasTaken: (endpointId: EndpointId, eventId: EventId) => boolean
}

export const makeReceivers = (world: World): SimulatedReceivers => {
  const taken = new Set<string>()
  /** Two where an erasure came between: what a sender had by then arrives as it was. */
  const bodies = new Map<EventId, Set<string>>()
  observe(world.state.events, (id, _, after) => {
    if (after !== undefined) bodies.set(id, (bodies.get(id) ?? new Set()).add(after.event.body))
  })

  const statusOf = (label: string): number | undefined => {
    if (world.rates === undefined || world.isCalm(label)) return 200
    const draw = world.draw(label)
    const status = draw.weighted<number | undefined>([
      [85, 200],
      [6, 500],
      [4, undefined],
      [4, 204],
      [2, 410]
    ])
    if (status !== 200 && status !== 204) world.mishaps.add(label)
    return status
  }

  const hear = (endpoint: WebhookEndpoint, event: DomainEvent, label: string): number | undefined => {
    world.require(
      bodies.get(event.id)?.has(event.body) === true,
      "told_iff_committed",
      () => `${world.nameOf(endpoint.id)} was told ${world.nameOf(event.id)}, which no commit stored so`
    )
    world.require(
      endpoint.merchantId === event.merchantId && endpoint.environment === event.environment,
      "told_iff_committed",
      () => `${world.nameOf(event.id)} was told to another merchant's ${world.nameOf(endpoint.id)}`
    )
    const status = statusOf(label)
    if (status !== undefined && status < 300) taken.add(`${endpoint.id}/${event.id}`)
    world.reach(`receiver answered ${status ?? "nothing"}`)
    world.tell(() => `${world.nameOf(endpoint.id)}: ${event.topic} arrives, answers ${status ?? "nothing"}  (${label})`)
    return status
  }

  return {
    hasTaken: (endpointId, eventId) => taken.has(`${endpointId}/${eventId}`),
    post: (endpoint, event) =>
      Effect.flatMap(Actor, (actor) =>
        Effect.callback((resume) => {
          const count = (actor.calls.get("post") ?? 0) + 1
          actor.calls.set("post", count)
          const label = `${actor.label}/post#${count}`
          world.agenda.after(1 + world.draw(`${label} way`).below(20), 0, () => {
            const status = hear(endpoint, event, label)
            if (status !== undefined) resume(Effect.succeed(status))
          })
        })
      )
  }
}
