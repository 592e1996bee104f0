import { Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import type { SchemaPurpose } from "../../Database.js"
import { everyMistake } from "../mistake/everyMistake.js"
import { answered, server } from "./answered.js"
import { commandWord } from "./commandWord.js"
import { fieldInput, requestBodyOf, targetOf, typedKey } from "./fieldInput.js"
import { type Operation, operations } from "./Operation.js"
import { shownLines } from "./shown.js"

const prettyJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const print = (text: string): Effect.Effect<void> =>
  text === ""
    ? Effect.void
    : Console.log(
        shownLines(
          Option.match(prettyJson(text), { onNone: () => text, onSome: (json) => JSON.stringify(json, undefined, 2) })
        )
      )

/**
 * Returns how an operation uses the database. An operation that reads, or whose path names a record, requires an
 * existing database.
 */
const purposeOf = ({ method, path }: Operation): SchemaPurpose =>
  method === "GET" ? "read" : path.includes("{") ? "change" : "make"

const commandOf = (operation: Operation) =>
  Command.make(
    commandWord(operation.name),
    everyMistake({ server, fields: operation.fields.map(fieldInput) }),
    (input) => {
      const fields = operation.fields.map((field, index) => [field, input.fields[index]] as const)
      return answered(Option.getOrUndefined(input.server), {
        method: operation.method,
        target: targetOf(operation.path, fields),
        body: operation.hasBody ? requestBodyOf(fields) : undefined,
        idempotencyKey: typedKey(fields),
        mediaType: operation.mediaType,
        purpose: purposeOf(operation)
      }).pipe(Effect.flatMap(print))
    }
  ).pipe(Command.withDescription(operation.summary))

/**
 * Builds one command per operation of the given groups, from the API's definition. A command takes the operation's
 * fields and prints the response.
 */
export const operationCommands = (...groups: ReadonlyArray<string>) =>
  operations()
    .filter(({ group }) => groups.includes(group))
    .map(commandOf)

export const operationGroup = <const Name extends string>(name: Name, ...groups: ReadonlyArray<string>) =>
  Command.make(name).pipe(Command.withSubcommands(operationCommands(...groups)))
