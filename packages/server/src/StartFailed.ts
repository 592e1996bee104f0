import { Schema } from "effect"

/** An expected failure of a command. Its message says what to do, so no stack is shown. */
export class StartFailed extends Schema.TaggedError<StartFailed>("@surety/server/StartFailed")("StartFailed", {
  message: Schema.String,
  /** The embedded database is open in another process. */
  isInUse: Schema.optionalKey(Schema.Boolean)
}) {}
