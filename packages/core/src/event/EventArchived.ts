import { Schema } from "effect"

/**
 * The requested events belong to a month that the platform has archived. They can be neither read nor sent until they
 * are restored.
 */
export class EventArchived extends Schema.TaggedError<EventArchived>("@surety/core/event/EventArchived")(
  "EventArchived",
  {
    /** `2026-03`, in UTC. */
    month: Schema.String
  }
) {
  override get message(): string {
    return `Events of ${this.month} are in an archive of the platform. Nothing of them can be read or sent until they are restored.`
  }
}
