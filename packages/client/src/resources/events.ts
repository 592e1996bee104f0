import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type { Answered, Query } from "../Given.js"
import type { Event, Resend, ResendRequest } from "../Interface.generated.js"
import { type List, listOf } from "../List.js"

/** Events and their webhook deliveries. */
export interface Events {
  /**
   * Newest first, of all topics or of one.
   *
   * @example
   * for await (const event of client.events.list({ topic: "refund.completed" })) console.log(event.id, event.occurredAt)
   */
  readonly list: (query?: Query<"events.list">, options?: CallOptions) => List<Event>
  /**
   * An event by its id.
   *
   * @example
   * for await (const { id } of client.events.list({ limit: 10 })) {
   *   const event = await client.events.get(id)
   *   console.log(event.topic, event.payload)
   * }
   */
  readonly get: (eventId: string, options?: CallOptions) => Call<Event>
  /**
   * The event's deliveries, with every attempt.
   *
   * @example
   * for await (const { id } of client.events.list({ limit: 10 })) {
   *   const deliveries = await client.events.deliveries(id)
   *   console.log(id, deliveries)
   * }
   */
  readonly deliveries: (eventId: string, options?: CallOptions) => Call<Answered<"events.deliveries">>
  /**
   * Sends the event again, with the same id: to one endpoint, or to all that subscribe to its topic.
   *
   * @example
   * for await (const { id } of client.events.list({ topic: "refund.completed", limit: 10 })) {
   *   await client.events.resend(id)
   * }
   */
  readonly resend: (eventId: string, request?: ResendRequest, options?: CallOptions) => Call<Resend>
  /**
   * Every topic that an endpoint may name, with its payload's JSON Schema.
   *
   * @example
   * const { data } = await client.events.types()
   * for (const { isDefault, topic } of data) console.log(topic, isDefault)
   */
  readonly types: (options?: CallOptions) => Call<Answered<"events.types">>
}

export const events = (send: Send): Events => ({
  list: (query = {}, options) => {
    const read = async (page: Query<"events.list">) => (await send("events.list", { query: page }, options)).data
    return listOf(read(query), (cursor) => read({ ...query, cursor }))
  },
  get: (eventId, options) => callOf(send("events.get", { path: { eventId } }, options)),
  deliveries: (eventId, options) => callOf(send("events.deliveries", { path: { eventId } }, options)),
  resend: (eventId, body, options) => callOf(send("events.resend", { path: { eventId }, body }, options)),
  types: (options) => callOf(send("events.types", {}, options))
})
