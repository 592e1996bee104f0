import { Schema } from "effect"

/** The bench cannot continue, or a result is wrong, so the numbers would mean nothing. */
export class BenchFailed extends Schema.TaggedError<BenchFailed>("@surety/server/bench/BenchFailed")("BenchFailed", {
  message: Schema.String
}) {}
