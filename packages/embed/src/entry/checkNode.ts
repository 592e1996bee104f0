/** The oldest Node whose `require` takes ES modules without a warning, and on which the rest is tested. */
const needed = [22, 19] as const

/** Why a Node is too old, in one line; undefined if it is not. `version` is as in `process.versions.node`. */
export const refusalOf = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const isNewEnough = major > needed[0] || (major === needed[0] && minor >= needed[1])
  return isNewEnough ? undefined : `@surety/embed needs Node ${needed.join(".")} or later; this is ${version}.`
}

const refusal = refusalOf(process.versions.node)
if (refusal !== undefined) {
  // An exception would bury the one line that helps below a source line and above a stack.
  process.stderr.write(`${refusal}\n`)
  process.exit(1)
}
