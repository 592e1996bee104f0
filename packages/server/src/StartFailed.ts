import { Schema } from "effect"

/** The command cannot do its work. The message says what to do; there is no stack to show. */
export class StartFailed extends Schema.TaggedError<StartFailed>("@surety/server/StartFailed")("StartFailed", {
  message: Schema.String
}) {}
