import { Effect, Predicate, Result } from "effect"
import { CliError, type Command, Param } from "effect/cli"

const paramsOf = (config: unknown): ReadonlyArray<Param.Any> => {
  if (Param.isParam(config)) return [config]
  return Predicate.isObjectKeyword(config) ? Object.values(config).flatMap((part) => paramsOf(part)) : []
}

const mistakesIn = Effect.fnUntraced(function* (
  params: ReadonlyArray<Param.Any>,
  { arguments: typed, flags }: Param.ParsedArgs
) {
  const mistakes: Array<CliError.CliError> = []
  let left = typed
  for (const param of params) {
    const parsed = yield* Effect.result(param.parse({ flags, arguments: left }))
    if (Result.isSuccess(parsed)) {
      left = parsed.success[0]
      continue
    }
    mistakes.push(parsed.failure)
    if (param.kind === Param.argumentKind) left = left.slice(1)
  }
  if (left.length > 0) mistakes.push(new CliError.UnexpectedArgument({ arguments: left }))
  return mistakes
})

/**
 * Makes a command report the errors in all its inputs. By default, the library stops at the first error. Several errors
 * become one `UserError`, whose cause is the list of errors. The inputs and the help text do not change.
 */
export const everyMistake = <Config extends Command.Command.Config>(config: Config): Config => {
  const params = paramsOf(config)
  for (const [key, first] of Object.entries(config)) {
    if (!Param.isParam(first)) continue
    // The library parses inputs in order, so the first one can check all of them. Its other properties are inherited.
    const parse: typeof first.parse = (args) =>
      Effect.flatMap(mistakesIn(params, args), (mistakes) =>
        mistakes.length > 1 ? Effect.fail(new CliError.UserError({ cause: mistakes })) : first.parse(args)
      )
    return { ...config, [key]: Object.create(first, { parse: { value: parse } }) }
  }
  return config
}
