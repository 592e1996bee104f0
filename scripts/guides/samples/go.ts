import {
  type Field,
  type Operation,
  pascal,
  type RecordType,
  type Type
} from "../../../tests/sdks/interface/MerchantInterface.ts"
import type { Call, Value } from "./Call.ts"
import { type Result, resultsOf } from "./resultNames.ts"
import { partsOf } from "./Shell.ts"

/** Converts a name to an exported Go identifier: `transactionId` and `transaction_id` become `TransactionID`. */
const exported = (name: string): string =>
  pascal(name)
    .replace(/Id(?=[A-Z]|s?$)/gu, "ID")
    .replace(/Url(?=[A-Z]|$)/gu, "URL")

const text = (value: string, results: ReadonlyArray<Result>): string =>
  partsOf(value)
    .map((part) =>
      part.kind === "text"
        ? JSON.stringify(part.text)
        : part.kind === "variable"
          ? `os.Getenv("${part.name}")`
          : `${results[part.call]?.name}.${exported(part.name)}`
    )
    .join(" + ")

/** Returns functions that render values as Go code. `inputs` are the records nested in requests. */
const printer = (inputs: ReadonlyArray<RecordType>, results: ReadonlyArray<Result>) => {
  const fieldsOf = (type: Type): ReadonlyArray<Field> =>
    (type.kind === "record" ? inputs.find(({ name }) => name === type.name)?.fields : undefined) ?? []

  const typeName = (type: Type): string => {
    if (type.kind === "record") return `surety.${type.name}`
    if (type.kind === "list") return `[]${typeName(type.of)}`
    return "string"
  }

  /** Turns an optional value's code into a pointer, unless the type's zero value can stand for a missing value. */
  const optional = (code: string, { required, type }: Field): string =>
    required || !["amount", "integer", "boolean", "record"].includes(type.kind)
      ? code
      : type.kind === "record"
        ? `&${code}`
        : `surety.Ptr(${type.kind === "integer" ? `int64(${code})` : code})`

  const literal = (value: Value, type: Type, indent: string, elided = false): string => {
    if (type.kind === "amount")
      return `surety.MustAmount(${typeof value === "string" ? text(value, results) : `"${value}"`})`
    if (typeof value === "string") return text(value, results)
    if (typeof value !== "object") return String(value)
    if (type.kind === "list") {
      const items = Object.values(value).map((item) => literal(item, type.of, `${indent}\t`, true))
      return `${typeName(type)}{${items.join(", ")}}`
    }
    const members = Object.entries(value).map(([name, item]) => {
      const field = fieldsOf(type).find((each) => each.name === name)
      return field === undefined ? "" : `${exported(name)}: ${optional(literal(item, field.type, indent), field)}`
    })
    return `${elided ? "" : typeName(type)}{${members.join(", ")}}`
  }

  return { literal, optional }
}

const queryValue = (value: string, { type }: Field): Value => {
  if (type.kind === "integer") return Number(value)
  return type.kind === "list" ? value.split(",") : value
}

/** Renders a struct literal with its columns aligned as gofmt does. */
const struct = (name: string, members: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...members.map(([member]) => member.length))
  return `${name}{\n${members.map(([member, code]) => `\t\t${`${member}:`.padEnd(width + 1)} ${code},\n`).join("")}\t}`
}

const takesParams = ({ body, query }: Operation): boolean => body.length + query.length > 0

/** Renders the calls as a complete Go program. */
export const go = (calls: ReadonlyArray<Call>, baseUrl: string, inputs: ReadonlyArray<RecordType>): string => {
  const results = resultsOf(calls)
  const { literal, optional } = printer(inputs, results)

  const paramsOf = ({ body, idempotencyKey, operation, query }: Call): ReadonlyArray<string> => {
    if (!takesParams(operation)) return []
    const members: Array<readonly [string, string]> = []
    const add = (field: Field | undefined, value: Value): void => {
      if (field !== undefined) members.push([exported(field.name), optional(literal(value, field.type, "\t\t"), field)])
    }
    for (const [name, value] of Object.entries(query)) {
      const field = operation.query.find((each) => each.name === name)
      if (field !== undefined) add(field, queryValue(value, field))
    }
    for (const [name, value] of Object.entries(body ?? {}))
      add(
        operation.body.find((each) => each.name === name),
        value
      )
    if (idempotencyKey !== undefined) members.push(["IdempotencyKey", text(idempotencyKey, results)])
    const type = `surety.${pascal(operation.group)}${pascal(operation.method)}Params`
    return [members.length === 0 ? `${type}{}` : struct(type, members)]
  }

  const statements = calls.map((call, index) => {
    const { operation, path } = call
    const { isRead, name = "" } = results[index] ?? {}
    const isLast = index === calls.length - 1
    const kind = operation.answer.kind
    const given = [
      ...(kind === "pages" ? [] : ["ctx"]),
      ...Object.values(path).map((value) => text(value, results)),
      ...paramsOf(call)
    ]
    const made = `client.${pascal(operation.group)}.${pascal(operation.method)}(${given.join(", ")})`
    const shown = `\t\tfmt.Printf("%+v\\n", `
    if (kind === "pages") {
      return `\tall := ${made}\n\tfor all.Next(ctx) {\n${shown}all.Value())\n\t}\n\tif err := all.Err(); err != nil {\n\t\tlog.Fatal(err)\n\t}`
    }
    const check = `\tif err != nil {\n\t\tlog.Fatal(err)\n\t}`
    if (!isRead) return `\tif _, err := ${made.replaceAll("\n", "\n")}; err != nil {\n\t\tlog.Fatal(err)\n\t}`
    if (!isLast) return `\t${name}, err := ${made}\n${check}`
    if (kind === "records")
      return `\tall, err := ${made}\n${check}\n\tfor _, ${name} := range all {\n${shown}${name})\n\t}`
    return `\t${name}, err := ${made}\n${check}\n\tfmt.Printf("%+v\\n", ${name})`
  })

  return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	surety "surety.example/surety-go"
)

func main() {
	ctx := context.Background()
	client, err := surety.New(os.Getenv("KEY"), "${baseUrl}")
	if err != nil {
		log.Fatal(err)
	}
${statements.join("\n")}
}
`
}
