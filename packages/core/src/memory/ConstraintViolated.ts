import { Schema } from "effect"

/**
 * A violated constraint, for example because a generated id is taken. A defect in the caller, never shown in a
 * response.
 */
export class ConstraintViolated extends Schema.TaggedError<ConstraintViolated>(
  "@surety/core/memory/ConstraintViolated"
)("ConstraintViolated", { constraint: Schema.String, subject: Schema.String }) {
  override get message(): string {
    return `${this.constraint}: ${this.subject}`
  }
}

/** Throws `ConstraintViolated` unless `holds`. */
export const requireThat = (holds: boolean, constraint: string, subject: string): void => {
  if (!holds) throw new ConstraintViolated({ constraint, subject })
}
