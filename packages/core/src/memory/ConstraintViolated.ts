import { Schema } from "effect"

/**
 * A violation of a memory store's constraint, for example by an id that is already taken. A defect, not a typed
 * failure.
 */
export class ConstraintViolated extends Schema.TaggedError<ConstraintViolated>(
  "@surety/core/memory/ConstraintViolated"
)("ConstraintViolated", { constraint: Schema.String, subject: Schema.String }) {
  override get message(): string {
    return `${this.constraint}: ${this.subject}`
  }
}

export const requireThat = (holds: boolean, constraint: string, subject: string): void => {
  if (!holds) throw new ConstraintViolated({ constraint, subject })
}
