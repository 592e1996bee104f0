import { Predicate } from "effect"

const deepest = 5

/** The form of SQLSTATEs and of Node's error codes. A code of any other form is not printed. */
const code = /^[A-Z0-9_]{1,40}$/u

/**
 * Returns the kind, code and stack frames of an error and of up to five nested causes. Omits messages and all other
 * properties.
 */
const placesOf = (error: unknown, depth = 0): ReadonlyArray<string> => {
  if (!(error instanceof Error)) return ["a value that is not an Error"]
  const known = Predicate.hasProperty(error, "code") && typeof error.code === "string" && code.test(error.code)
  const { message, stack = "" } = error
  // Skips the message, whose lines could look like frames.
  const frames = stack
    .slice(stack.indexOf(message) + message.length)
    .split("\n")
    .filter((line) => /^ {4}at /u.test(line))
  const kind = error.constructor.name
  const causes = error.cause === undefined || depth === deepest ? [] : placesOf(error.cause, depth + 1)
  return [
    known ? `${kind} ${error.code}` : kind,
    ...frames,
    ...causes.map((line, at) => (at === 0 ? `caused by ${line}` : line))
  ]
}

/**
 * Ends the process on an uncaught error, as Node does. Prints the error's kind, code and stack frames, but not its
 * message. Database errors quote rows and parser errors quote their input, both of which may hold personal data.
 */
export const endWithoutContent = (): void => {
  process.on("uncaughtException", (error) => {
    process.stderr.write(`Surety stops: uncaught error. ${placesOf(error).join("\n")}\n`)
    process.exit(1)
  })
}
