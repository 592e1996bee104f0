const strings = /"[^"\\]*(?:\\.[^"\\]*)*"/gsu

/** Counts the fields of all objects in a value. Goes level by level, so that deep nesting cannot overflow the stack. */
const fieldsIn = (value: unknown): number => {
  let count = 0
  let level: ReadonlyArray<unknown> = [value]
  while (level.length > 0) {
    level = level.flatMap((part) => {
      if (typeof part !== "object" || part === null) return []
      const values = Object.values(part)
      if (!Array.isArray(part)) count += values.length
      return values
    })
  }
  return count
}

/**
 * Returns true if an object in a JSON text names a field twice. `value` is the parsed text. A parser keeps only one of
 * the two values, and another parser may keep the other. Outside of strings, JSON has one colon per field.
 */
export const namesFieldTwice = (text: string, value: unknown): boolean =>
  text.replaceAll(strings, "").split(":").length - 1 !== fieldsIn(value)
