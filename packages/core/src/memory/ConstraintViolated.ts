import { Schema } from "effect"

/**
 * The record cannot be stored: a generated id is taken, or a plan contradicts the state it was decided on. A defect in
 * the caller, never a response. Thrown before anything is written.
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
