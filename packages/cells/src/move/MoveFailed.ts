import { Schema } from "effect"

/** The steps of a move, in order. It can be interrupted after each. */
export const moveSteps = [
  "fenced",
  "begun",
  "opened",
  "copied",
  "compared",
  "caughtUp",
  "ordered",
  "parked",
  "closing",
  "closed",
  "complete",
  "arrived",
  "switched",
  "started",
  "left",
  "cleaned"
] as const

export type MoveStep = (typeof moveSteps)[number]

/** A move did not continue. Until `arrived` the merchant stays where it is, and its writes continue. */
export class MoveFailed extends Schema.TaggedError<MoveFailed>("@surety/cells/move/MoveFailed")("MoveFailed", {
  step: Schema.Literals(moveSteps),
  detail: Schema.String
}) {
  override get message(): string {
    return `The merchant's move went no further than "${this.step}": ${this.detail}.`
  }
}

/** The merchant cannot be moved so. */
export class MoveRefused extends Schema.TaggedError<MoveRefused>("@surety/cells/move/MoveFailed/MoveRefused")(
  "MoveRefused",
  { detail: Schema.String }
) {
  override get message(): string {
    return `The merchant is not moved: ${this.detail}.`
  }
}

/** What a cell has of the merchant cannot be deleted so. */
export class ClearRefused extends Schema.TaggedError<ClearRefused>("@surety/cells/move/MoveFailed/ClearRefused")(
  "ClearRefused",
  { detail: Schema.String }
) {
  override get message(): string {
    return `Nothing is deleted: ${this.detail}.`
  }
}
