import { Schema } from "effect"

/** The bench cannot continue, or a result is wrong and the numbers would be meaningless. */
export class BenchFailed extends Schema.TaggedError<BenchFailed>("@surety/server/bench/BenchFailed")("BenchFailed", {
  message: Schema.String
}) {}
