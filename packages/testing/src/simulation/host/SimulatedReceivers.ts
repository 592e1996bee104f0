import type { DomainEvent } from "@surety/core/event/DomainEvent"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { EndpointId, EventId } from "@surety/core/Ids"
import { Effect } from "effect"
import { observe } from "../world/observe.js"
import { Actor } from "../world/SimulatedProcess.js"
import type { World } from "../world/World.js"

/** Merchants' servers, which receive webhooks. */
export interface SimulatedReceivers {
  /** Posts an event and returns the response status. Hangs if no response arrives. */
  readonly post: (endpoint: WebhookEndpoint, event: DomainEvent) => Effect.Effect<number>
  /**
   * Delivers a POST to the endpoint with this url, over a network that may lose, duplicate or delay it. Returns the
   * response status, or undefined if the connection breaks. Hangs if no response arrives.
   */
  readonly bring: (url: string, eventId: string, body: string) => Effect.Effect<number | undefined>
  /** True if the endpoint accepted the event with a 2xx. */
  readonly hasTaken: (endpointId: EndpointId, eventId: EventId) => boolean
}

export const makeReceivers = (world: World): SimulatedReceivers => {
  const taken = new Set<string>()
  /** All versions of each event's body. An erasure changes the body, but copies in flight arrive unchanged. */
  const bodies = new Map<EventId, Set<string>>()
  observe(world.state.events, (id, _, after) => {
    if (after !== undefined) bodies.set(id, (bodies.get(id) ?? new Set()).add(after.event.body))
  })

  const statusOf = (label: string): number | undefined => {
    if (world.rates === undefined || world.isCalm(label)) return 200
    const draw = world.draw(label)
    const status = draw.weighted<number | undefined>([
      [world.draw("receivers").pick([85, 85, 20]), 200],
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
      () => `${world.nameOf(endpoint.id)} got ${world.nameOf(event.id)}, which no commit stored so`
    )
    world.require(
      endpoint.merchantId === event.merchantId && endpoint.environment === event.environment,
      "told_iff_committed",
      () => `${world.nameOf(event.id)} went to another merchant's ${world.nameOf(endpoint.id)}`
    )
    const status = statusOf(label)
    if (status !== undefined && status < 300) taken.add(`${endpoint.id}/${event.id}`)
    world.reach(`receiver answered ${status ?? "nothing"}`)
    world.tell(() => `${world.nameOf(endpoint.id)}: ${event.topic} arrives, answers ${status ?? "nothing"}  (${label})`)
    return status
  }

  /**
   * Responds to a POST as the endpoint with this url. If the endpoint exists, an event that is not stored violates
   * `told_iff_committed`.
   */
  const hearBytes = (url: string, eventId: string, body: string, label: string): number | undefined => {
    const endpoint = [...world.state.endpoints.values()].find((one) => one.url === url)
    const stored = [...world.state.events.values()].find(({ event }) => event.id === eventId)?.event
    // The endpoint was removed while the webhook was in flight.
    if (endpoint === undefined) return 404
    if (stored === undefined) {
      world.violate("told_iff_committed", `${world.nameOf(endpoint.id)} got ${eventId}, which is not stored`)
      return 404
    }
    return hear(endpoint, { ...stored, body }, label)
  }

  return {
    bring: (url, eventId, body) =>
      Effect.flatMap(Actor, (actor) =>
        Effect.callback((resume) => {
          const count = (actor.calls.get("bring") ?? 0) + 1
          actor.calls.set("bring", count)
          const label = `${actor.label}/bring#${count}`
          const draw = world.draw(`${label} road`)
          const isQuiet = world.rates === undefined || world.isCalm(`${label} road`)
          const road = isQuiet
            ? "well"
            : draw.weighted([
                [80, "well"],
                [5, "late"],
                [5, "twice"],
                [5, "lost"],
                [5, "unanswered"]
              ] as const)
          if (road !== "well") {
            world.mishaps.add(`${label} road`)
            world.tell(() => `a webhook goes ${road}  (${label} road)`)
          }
          world.reach(`webhook went ${road}`)
          const way = 1 + draw.below(20) + (road === "late" ? draw.below(20_000) : 0)
          world.agenda.after(way, 0, () => {
            const status = road === "lost" ? undefined : hearBytes(url, eventId, body, label)
            if (road === "twice") {
              world.agenda.after(draw.below(3_000), 0, () => hearBytes(url, eventId, body, `${label} again`))
            }
            if (road === "lost") resume(Effect.succeed(undefined))
            else if (road !== "unanswered" && status !== undefined) resume(Effect.succeed(status))
          })
        })
      ),
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
