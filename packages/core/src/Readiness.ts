import { Context, type Effect, Schema } from "effect"

/** Why requests cannot be served yet. `detail` is for the operator. */
export class NotReady extends Schema.TaggedError<NotReady>("@surety/core/Readiness/NotReady")("NotReady", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Whether the storage can be reached and is of this version's shape. */
export class Readiness extends Context.Service<
  Readiness,
  {
    readonly check: Effect.Effect<void, NotReady>
  }
>()("@surety/core/Readiness") {}
