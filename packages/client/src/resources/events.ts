import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Reply, Send } from "../call/send.js"
import type { Answered, Query } from "../Given.js"
import type { Event, EventPayloads, Resend, ResendRequest } from "../Interface.generated.js"
import { type List, listOf } from "../List.js"

/**
 * An event whose `topic` determines the type of its `payload`: `if (event.topic === "refund.completed")
 * event.payload.refundId`. Ignore events with an unknown topic. Such a topic is newer than your version of the client.
 */
export type TypedEvent = {
  readonly [Topic in keyof EventPayloads]: Omit<Event, "topic" | "payload"> & {
    readonly topic: Topic
    readonly payload: EventPayloads[Topic]
  }
}[keyof EventPayloads]

/** Events and their webhook deliveries. */
export interface Events {
  /**
   * Lists events, newest first unless `order` is `oldest`. `topic` limits the list to one topic.
   *
   * @example
   * for await (const event of client.events.list({ topic: "refund.completed" })) {
   *   if (event.topic === "refund.completed") console.log(event.id, event.payload.refundId)
   * }
   */
  readonly list: (query?: Query<"events.list">, options?: CallOptions) => List<TypedEvent>
  /**
   * Returns an event by its id.
   *
   * @example
   * for await (const { id } of client.events.list({ limit: 10 })) {
   *   const event = await client.events.get(id)
   *   console.log(event.topic, event.payload)
   * }
   */
  readonly get: (eventId: string, options?: CallOptions) => Call<TypedEvent>
  /**
   * Returns the event's deliveries with every attempt.
   *
   * @example
   * for await (const { id } of client.events.list({ limit: 10 })) {
   *   const deliveries = await client.events.deliveries(id)
   *   console.log(id, deliveries)
   * }
   */
  readonly deliveries: (eventId: string, options?: CallOptions) => Call<Answered<"events.deliveries">>
  /**
   * Resends the event, under its original id, to every enabled endpoint that subscribes to its topic. With
   * `endpoint_id`, resends it only to that endpoint, if enabled, even if the endpoint does not subscribe to the topic.
   * A test event is resent only to its own endpoint.
   *
   * @example
   * for await (const { id } of client.events.list({ topic: "refund.completed", limit: 10 })) {
   *   await client.events.resend(id)
   * }
   */
  readonly resend: (eventId: string, request?: ResendRequest, options?: CallOptions) => Call<Resend>
  /**
   * Returns every topic that an endpoint may name, with its payload's JSON Schema.
   *
   * @example
   * const { data } = await client.events.types()
   * for (const { isDefault, topic } of data) console.log(topic, isDefault)
   */
  readonly types: (options?: CallOptions) => Call<Answered<"events.types">>
}

// The service's contract guarantees the payload of each topic.
type TypedPage = Omit<Answered<"events.list">, "data"> & { readonly data: ReadonlyArray<TypedEvent> }

export const events = (send: Send): Events => ({
  list: (query = {}, options) => {
    const read = async (page: Query<"events.list">) =>
      (await send("events.list", { query: page }, options)).data as TypedPage
    return listOf(read(query), (cursor) => read({ ...query, cursor }))
  },
  get: (eventId, options) => callOf(send("events.get", { path: { eventId } }, options) as Promise<Reply<TypedEvent>>),
  deliveries: (eventId, options) => callOf(send("events.deliveries", { path: { eventId } }, options)),
  resend: (eventId, body, options) => callOf(send("events.resend", { path: { eventId }, body }, options)),
  types: (options) => callOf(send("events.types", {}, options))
})
