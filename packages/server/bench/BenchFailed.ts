import { Schema } from "effect"

/** The bench cannot go on, or what it found is wrong: its numbers would mean nothing. */
export class BenchFailed extends Schema.TaggedError<BenchFailed>("@surety/server/bench/BenchFailed")("BenchFailed", {
  message: Schema.String
}) {}
