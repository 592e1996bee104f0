import { Schema } from "effect"

/** Steps of a move, in the order in which `MoveOptions.onStep` gets them. */
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

/**
 * A move stopped at `step`. Until the step `arrived` is complete, the merchant stays in its cell. Its writes continue
 * there once the move has been given up.
 */
export class MoveFailed extends Schema.TaggedError<MoveFailed>("@surety/cells/move/MoveFailed")("MoveFailed", {
  step: Schema.Literals(moveSteps),
  detail: Schema.String
}) {
  override get message(): string {
    return `The merchant's move stopped at step "${this.step}": ${this.detail}.`
  }
}

/** A move, or the abort of a move, was refused. `detail` says why. */
export class MoveRefused extends Schema.TaggedError<MoveRefused>("@surety/cells/move/MoveFailed/MoveRefused")(
  "MoveRefused",
  { detail: Schema.String }
) {
  override get message(): string {
    return `The merchant was not moved: ${this.detail}.`
  }
}

/** A merchant's rows in a cell were not deleted. `detail` says why. */
export class ClearRefused extends Schema.TaggedError<ClearRefused>("@surety/cells/move/MoveFailed/ClearRefused")(
  "ClearRefused",
  { detail: Schema.String }
) {
  override get message(): string {
    return `Nothing was deleted: ${this.detail}.`
  }
}
