import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { SchemaPurpose } from "../../App.js"
import { StartFailed } from "../../StartFailed.js"
import { ask, type OperatorResponse } from "./ask.js"
import { commandWord } from "./commandWord.js"
import { fieldInput, requestBodyOf, targetOf } from "./fieldInput.js"
import { type Operation, operations } from "./Operation.js"
import { shown, shownJson } from "./shown.js"

const Fault = Schema.Struct({
  pointer: Schema.optionalKey(Schema.String),
  parameter: Schema.optionalKey(Schema.String),
  detail: Schema.String
})

const Refusal = Schema.fromJsonString(
  Schema.Struct({
    title: Schema.String,
    detail: Schema.String,
    code: Schema.String,
    errors: Schema.optionalKey(Schema.Array(Fault))
  })
)

const faultLine = ({ detail, parameter, pointer }: typeof Fault.Type): string =>
  `${pointer?.replace(/^#\//, "") ?? parameter ?? "request"}: ${detail}`

const withoutBasePath = " Where the server has a BASE_PATH, --server must end with it."

/** The problem's title, advice and code; or its faults, each with its field. */
const messageOf = ({ status, text }: OperatorResponse, isServers: boolean): string =>
  Option.match(Schema.decodeUnknownOption(Refusal)(text), {
    onNone: () => shown(`The server answered ${status}: ${text}`),
    onSome: ({ code, detail, errors = [], title }) => {
      if (errors.length > 0) return errors.map(faultLine).map(shown).join("\n")
      const hint = isServers && code === "route_not_found" ? withoutBasePath : ""
      return shown(`${title}. ${detail}${hint} (${code})`)
    }
  })

const prettyJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** JSON indented; a page as it is. */
const print = ({ text }: OperatorResponse): Effect.Effect<void> =>
  text === ""
    ? Effect.void
    : Console.log(
        shownJson(
          Option.match(prettyJson(text), { onNone: () => text, onSome: (json) => JSON.stringify(json, undefined, 2) })
        )
      )

const server = Flag.String("server").pipe(
  Flag.withDescription(
    "Call the server at this address, such as http://127.0.0.1:3000, instead of opening its database"
  ),
  Flag.optional
)

/** Reading, or naming a record in the path, requires a database that exists. */
const purposeOf = ({ method, path }: Operation): SchemaPurpose =>
  method === "GET" ? "read" : path.includes("{") ? "change" : "make"

const commandOf = (operation: Operation) =>
  Command.make(commandWord(operation.name), { server, fields: operation.fields.map(fieldInput) }, (input) => {
    const fields = operation.fields.map((field, index) => [field, input.fields[index]] as const)
    const asksServer = Option.isSome(input.server)
    return ask(Option.getOrUndefined(input.server), {
      method: operation.method,
      target: targetOf(operation.path, fields),
      body: operation.hasBody ? requestBodyOf(fields) : undefined,
      purpose: purposeOf(operation)
    }).pipe(
      Effect.flatMap((answered) =>
        answered.status < 400
          ? print(answered)
          : Effect.fail(new StartFailed({ message: messageOf(answered, asksServer) }))
      )
    )
  }).pipe(Command.withDescription(operation.summary))

/**
 * Makes the commands of the interface's groups from its own definition, one for each operation. A command takes the
 * same fields, rejects the same input, and prints the response's JSON.
 */
export const operationCommands = () => {
  const known = operations()
  return (...groups: ReadonlyArray<string>) => known.filter(({ group }) => groups.includes(group)).map(commandOf)
}

export type OperationCommands = ReturnType<typeof operationCommands>
