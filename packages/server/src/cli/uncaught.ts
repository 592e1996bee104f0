import { Predicate } from "effect"

const deepest = 5

/** SQLSTATEs and Node's codes. Other texts may be anything. */
const code = /^[A-Z0-9_]{1,40}$/u

/** An error's name, code and frames, and those of its causes. Neither its message nor its other properties. */
const placesOf = (error: unknown, depth = 0): ReadonlyArray<string> => {
  if (!(error instanceof Error)) return ["a value that is not an Error"]
  const known = Predicate.hasProperty(error, "code") && typeof error.code === "string" && code.test(error.code)
  const { message, stack = "" } = error
  // A message of several lines could look like frames.
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
 * Ends the process at an error that no code expected, as Node does, but without what Node prints: the message and every
 * property of the error. A database's error quotes rows, and a parser's its input; both hold personal data.
 */
export const endWithoutContent = (): void => {
  process.on("uncaughtException", (error) => {
    process.stderr.write(`Surety ends: an error was not caught. ${placesOf(error).join("\n")}\n`)
    process.exit(1)
  })
}
