/** The oldest Node version that both undici and Effect's Node platform support. */
const needed = [22, 19] as const

/**
 * Returns an error message if the package needs a newer Node than `version`. Undefined if `version` is new enough.
 *
 * @example
 * nodeRefusal("@surety/server", "20.20.2") // "@surety/server needs Node 22.19 or later; this is 20.20.2."
 * nodeRefusal("@surety/server", "24.0.0") // undefined
 */
export const nodeRefusal = (packageName: string, version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const isNewEnough = major > needed[0] || (major === needed[0] && minor >= needed[1])
  return isNewEnough ? undefined : `${packageName} needs Node ${needed.join(".")} or later; this is ${version}.`
}
