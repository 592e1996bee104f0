import { EventId } from "@surety/core/Ids"
import { Schema } from "effect"

/** The merchant has no such event in this environment. */
export class EventNotFound extends Schema.TaggedError<EventNotFound>("@surety/embed/NotFound/EventNotFound")(
  "EventNotFound",
  { eventId: EventId }
) {
  override get message(): string {
    return `The merchant has no event ${this.eventId} in this environment.`
  }
}

/** No ledger account with this id has ever had a posting. */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>("@surety/embed/NotFound/AccountNotFound")(
  "AccountNotFound",
  { accountId: Schema.String }
) {
  override get message(): string {
    return "No account of the ledger has this id."
  }
}
