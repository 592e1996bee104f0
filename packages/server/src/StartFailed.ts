import { Schema } from "effect"

/** An expected failure of a command. Its message is shown without a stack. */
export class StartFailed extends Schema.TaggedError<StartFailed>("@surety/server/StartFailed")("StartFailed", {
  message: Schema.String,
  /** Set if another process has the embedded database open. */
  isInUse: Schema.optionalKey(Schema.Boolean)
}) {}
