import { Predicate } from "effect"

/**
 * Names an error by its tag, and the reason within it too: core's own names are import paths, which change when a file
 * moves. Returns the error.
 */
export const named = <E>(error: E): E => {
  if (!Predicate.isError(error)) return error
  if (Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && error.name !== error._tag) {
    Object.defineProperty(error, "name", { value: error._tag, configurable: true, writable: true })
  }
  if (Predicate.hasProperty(error, "reason")) named(error.reason)
  return error
}
