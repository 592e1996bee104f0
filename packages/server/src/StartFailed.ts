import { Schema } from "effect"

/** An expected failure of a command. Its message says what to do, so the stack is not shown. */
export class StartFailed extends Schema.TaggedError<StartFailed>("@surety/server/StartFailed")("StartFailed", {
  message: Schema.String,
  /** Set if another process has the embedded database open. */
  isInUse: Schema.optionalKey(Schema.Boolean)
}) {}
