/** Formats an input's faults as an error message: one line per fault, with path and detail. */
export const faultText = (
  faults: ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey>; readonly detail: string }>
): string => faults.map(({ detail, path }) => `${path.map(String).join(".") || "input"}: ${detail}`).join("\n")
