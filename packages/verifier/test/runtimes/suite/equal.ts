/** Throws unless two values hold the same data. Dates are compared by time, byte arrays byte by byte. */
export const equal = (actual: unknown, expected: unknown, what = "value"): void => {
  const [found, wanted] = [written(actual), written(expected)]
  if (found !== wanted) throw new Error(`${what} is ${found}, and should be ${wanted}`)
}

const written = (value: unknown): string => {
  if (value instanceof Date) return `Date(${value.toISOString()})`
  if (ArrayBuffer.isView(value)) return `bytes(${new Uint8Array(value.buffer, value.byteOffset, value.byteLength)})`
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
    return `{${entries.map(([key, each]) => `${key}: ${written(each)}`).join(", ")}}`
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value)
}
