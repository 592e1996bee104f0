import { Schema } from "effect"

/** The tables' owner allows no more erasures within 24 hours. Nothing was erased here; later it can be. */
export class ErasuresExhausted extends Schema.TaggedError<ErasuresExhausted>("@surety/core/person/ErasuresExhausted")(
  "ErasuresExhausted",
  {}
) {
  override get message(): string {
    return "As many people were erased within 24 hours as the owner of the tables allows. Try again later, or have the owner allow more."
  }
}
