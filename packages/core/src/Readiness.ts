import { Context, type Effect, Schema } from "effect"

/** The storage is not ready. `detail` is for the operator. */
export class NotReady extends Schema.TaggedError<NotReady>("@surety/core/Readiness/NotReady")("NotReady", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Whether the storage responds and has this release's tables. */
export class Readiness extends Context.Service<
  Readiness,
  {
    readonly check: Effect.Effect<void, NotReady>
  }
>()("@surety/core/Readiness") {}
