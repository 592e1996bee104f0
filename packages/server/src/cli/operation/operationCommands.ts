import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { StartFailed } from "../../StartFailed.js"
import { type Answered, ask } from "./ask.js"
import { commandWord } from "./commandWord.js"
import { bodyOf, fieldInput, targetOf } from "./fieldInput.js"
import { type Operation, operations } from "./Operation.js"
import { shown, shownJson } from "./shown.js"

const Fault = Schema.Struct({
  pointer: Schema.optionalKey(Schema.String),
  parameter: Schema.optionalKey(Schema.String),
  detail: Schema.String
})

const Refusal = Schema.fromJsonString(
  Schema.Struct({ detail: Schema.String, errors: Schema.optionalKey(Schema.Array(Fault)) })
)

const faultLine = ({ detail, parameter, pointer }: typeof Fault.Type): string =>
  `${pointer?.replace(/^#\//, "") ?? parameter ?? "request"}: ${detail}`

/** The problem's sentence, or those of its faults, each with the field that it is about. */
const messageOf = ({ status, text }: Answered): string =>
  Option.match(Schema.decodeUnknownOption(Refusal)(text), {
    onNone: () => shown(`The server answered ${status}: ${text}`),
    onSome: ({ detail, errors = [] }) => (errors.length === 0 ? [detail] : errors.map(faultLine)).map(shown).join("\n")
  })

const prettyJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const print = ({ text }: Answered): Effect.Effect<void> =>
  text === ""
    ? Effect.void
    : Console.log(
        shownJson(
          JSON.stringify(
            Option.getOrElse(prettyJson(text), () => text),
            undefined,
            2
          )
        )
      )

const server = Flag.String("server").pipe(
  Flag.withDescription(
    "Ask the server that runs at this address, such as http://127.0.0.1:3000, instead of opening its database"
  ),
  Flag.optional
)

const commandOf = (operation: Operation) =>
  Command.make(commandWord(operation.name), { server, fields: operation.fields.map(fieldInput) }, (input) => {
    const fields = operation.fields.map((field, index) => [field, input.fields[index]] as const)
    return ask(Option.getOrUndefined(input.server), {
      method: operation.method,
      target: targetOf(operation.path, fields),
      body: operation.hasBody ? bodyOf(fields) : undefined
    }).pipe(
      Effect.flatMap((answered) =>
        answered.status < 400 ? print(answered) : Effect.fail(new StartFailed({ message: messageOf(answered) }))
      )
    )
  }).pipe(Command.withDescription(operation.summary))

/**
 * What makes the commands of groups of the interface, one for each operation, of the interface's own definition: a command
 * takes the same fields, refuses the same, and prints the answer's JSON.
 */
export const operationCommands = () => {
  const known = operations()
  return (...groups: ReadonlyArray<string>) => known.filter(({ group }) => groups.includes(group)).map(commandOf)
}

export type OperationCommands = ReturnType<typeof operationCommands>
