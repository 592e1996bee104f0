import { Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import type { SchemaPurpose } from "../../Database.js"
import { answered, server } from "./answered.js"
import { commandWord } from "./commandWord.js"
import { fieldInput, requestBodyOf, targetOf } from "./fieldInput.js"
import { type Operation, operations } from "./Operation.js"
import { shownJson } from "./shown.js"

const prettyJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** JSON indented; a page as it is. */
const print = (text: string): Effect.Effect<void> =>
  text === ""
    ? Effect.void
    : Console.log(
        shownJson(
          Option.match(prettyJson(text), { onNone: () => text, onSome: (json) => JSON.stringify(json, undefined, 2) })
        )
      )

/** Reading, or naming a record in the path, requires an existing database. */
const purposeOf = ({ method, path }: Operation): SchemaPurpose =>
  method === "GET" ? "read" : path.includes("{") ? "change" : "make"

const commandOf = (operation: Operation) =>
  Command.make(commandWord(operation.name), { server, fields: operation.fields.map(fieldInput) }, (input) => {
    const fields = operation.fields.map((field, index) => [field, input.fields[index]] as const)
    return answered(Option.getOrUndefined(input.server), {
      method: operation.method,
      target: targetOf(operation.path, fields),
      body: operation.hasBody ? requestBodyOf(fields) : undefined,
      purpose: purposeOf(operation)
    }).pipe(Effect.flatMap(print))
  }).pipe(Command.withDescription(operation.summary))

/**
 * Makes the commands of the interface's groups from its own definition, one for each operation. A command takes the
 * same fields, rejects the same input, and prints the response's JSON.
 */
export const operationCommands = (...groups: ReadonlyArray<string>) =>
  operations()
    .filter(({ group }) => groups.includes(group))
    .map(commandOf)

/** A command with nothing below it but those of the interface's groups. */
export const operationGroup = <const Name extends string>(name: Name, ...groups: ReadonlyArray<string>) =>
  Command.make(name).pipe(Command.withSubcommands(operationCommands(...groups)))
