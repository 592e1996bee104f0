/** The faults of an input as an error's message, a line each: where, and what is wrong. Never a value. */
export const faultText = (
  faults: ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey>; readonly detail: string }>
): string => faults.map(({ detail, path }) => `${path.map(String).join(".") || "input"}: ${detail}`).join("\n")
