import { Console, Effect, Schema } from "effect"
import { CliError, CliOutput, type HelpDoc } from "effect/cli"
import { readableHelp } from "../help/readableHelp.js"
import { shown } from "../operation/shown.js"
import { typedName, typedValue } from "./typed.js"

/** Maximum number of unexpected arguments to print. A shell's `*` may add thousands. */
const listed = 5

const suggested = ([first]: ReadonlyArray<string>): string => (first === undefined ? "" : `. Did you mean ${first}?`)

const unexpected = (values: ReadonlyArray<string>): string => {
  const rest = values.length > listed ? ` and ${values.length - listed} more` : ""
  const list = values.slice(0, listed).map(typedValue).join(", ")
  return `Unexpected ${values.length === 1 ? "argument" : "arguments"}: ${list}${rest}. Quote a value with spaces.`
}

/** Describes the expected value in the library's words. Replaces a given value that may be a secret with its length. */
const expectation = ({ expected, value }: CliError.InvalidValue): string => {
  const quoted = typedValue(value)
  const text = expected.replace(/^Schema validation failed: /, "")
  const told = shown(quoted.startsWith('"') ? text : text.replaceAll(value, quoted))
  return told.startsWith("Expected") ? `${told}.` : `Expected: ${told}.`
}

const unreadable = (error: CliError.InvalidValue): string => {
  const input = error.kind === "flag" ? `flag --${error.option}` : `argument <${error.option}>`
  return error.value === ""
    ? `Missing value for ${input}. ${expectation(error)}`
    : `Invalid value for ${input}: ${typedValue(error.value)}. ${expectation(error)}`
}

const lineOf = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "InvalidValue":
      return unreadable(error)
    case "MissingArgument":
      return `Missing required argument: ${error.argument}`
    case "MissingOption":
      return `Missing required flag: --${error.option}`
    case "UnexpectedArgument":
      return unexpected(error.arguments)
    case "UnknownSubcommand":
      return `Unknown command: ${typedName(error.subcommand)}${suggested(error.suggestions)}`
    case "UnrecognizedOption":
      return `Unrecognized flag: ${typedName(error.option)}${suggested(error.suggestions)}`
    default:
      return shown(error.message)
  }
}

const areMistakes = Schema.is(Schema.Array(CliError.NonShowHelpErrors))

/** Unpacks the list of errors that `everyMistake` reports as one. */
const unpacked = (error: CliError.NonShowHelpErrors): ReadonlyArray<CliError.NonShowHelpErrors> =>
  error._tag === "UserError" && areMistakes(error.cause) ? error.cause : [error]

/**
 * Returns an error for each required flag missing from both `args` and `mistakes`. After an unknown flag, the library
 * does not check required flags. Empty after an unknown command, since the flags in `args` may be that command's.
 */
const missingFlags = (
  args: ReadonlyArray<string>,
  { flags }: HelpDoc.HelpDoc,
  mistakes: ReadonlyArray<CliError.NonShowHelpErrors>
): ReadonlyArray<CliError.MissingOption> => {
  if (mistakes.some(({ _tag }) => _tag === "UnknownSubcommand")) return []
  const end = args.indexOf("--")
  const named = new Set(args.slice(0, end === -1 ? undefined : end).map((arg) => arg.split("=", 1)[0]))
  for (const error of mistakes) if (error._tag === "MissingOption") named.add(`--${error.option}`)
  return flags
    .filter(({ name, required }) => required && !named.has(`--${name}`))
    .map(({ name }) => new CliError.MissingOption({ option: name }))
}

/** Returns true for an unknown one-letter flag. The library reads each letter after a single dash as a flag. */
const isLetter = (error: CliError.NonShowHelpErrors): boolean =>
  error._tag === "UnrecognizedOption" && /^-[^-]$/u.test(error.option)

const lettersLine =
  "Unrecognized flags of one letter. A flag's name has two dashes; a value with a dash needs --flag=value."

const linesOf = (mistakes: ReadonlyArray<CliError.NonShowHelpErrors>): ReadonlyArray<string> => {
  const letters = mistakes.filter(isLetter)
  if (letters.length < 2) return mistakes.map(lineOf)
  return [...mistakes.filter((error) => !isLetter(error)).map(lineOf), lettersLine]
}

/**
 * Prints the usage errors in `args` to stderr, then a hint to run `--help`, but not the help itself. Escapes values,
 * and never repeats one that may be a secret. Marks required flags in the help, and otherwise leaves help and version to the
 * library's default presenter.
 */
export const mistakePresenter = (args: ReadonlyArray<string>): CliOutput.Presenter => ({
  present: (event) => {
    if (event._tag === "Help") {
      return CliOutput.defaultPresenter.present({ ...event, helpDoc: readableHelp(event.helpDoc) })
    }
    if (event._tag === "Version") return CliOutput.defaultPresenter.present(event)
    const mistakes = event.errors.flatMap(unpacked)
    const all = [...mistakes, ...missingFlags(args, event.helpDoc, mistakes)]
    const hint = `Run ${event.commandPath.join(" ")} --help for usage.`
    return Effect.forEach([...linesOf(all), hint], (line) => Console.error(line), { discard: true })
  }
})
