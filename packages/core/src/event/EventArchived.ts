import { Schema } from "effect"

/**
 * A requested range includes an archived month, or a requested event of an archived month is not in the store. An
 * archived event can be neither read nor sent until it is restored.
 */
export class EventArchived extends Schema.TaggedError<EventArchived>("@surety/core/event/EventArchived")(
  "EventArchived",
  {
    /** Month in UTC, such as `2026-03`. */
    month: Schema.String
  }
) {
  override get message(): string {
    return `Events of ${this.month} are in the platform's archive. They cannot be read or sent until they are restored.`
  }
}
