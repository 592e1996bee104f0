import { Schema } from "effect"

/**
 * What was to be stored cannot be: an id of ours is taken, or a plan contradicts the state that it was decided on. A
 * defect of the caller's, never an answer. Thrown before anything was written.
 */
export class ConstraintViolated extends Schema.TaggedError<ConstraintViolated>(
  "@surety/core/memory/ConstraintViolated"
)("ConstraintViolated", { constraint: Schema.String, subject: Schema.String }) {
  override get message(): string {
    return `${this.constraint}: ${this.subject}`
  }
}

/** Throws unless `holds`. */
export const requireThat = (holds: boolean, constraint: string, subject: string): void => {
  if (!holds) throw new ConstraintViolated({ constraint, subject })
}
