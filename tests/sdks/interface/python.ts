import {
  type Field,
  groupsOf,
  isBound,
  type MerchantInterface,
  type Operation,
  pascal,
  type RecordType,
  snake,
  type Type
} from "./MerchantInterface.ts"

const head = "# Generated from the interface's definition by `vitest -u tests/sdks`. Do not edit.\n"

const literal = (value: string): string => JSON.stringify(value)

const typeOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
      return type.values.length === 0 ? "str" : `Literal[${type.values.map(literal).join(", ")}]`
    case "amount":
      return "Decimal"
    case "integer":
      return "int"
    case "boolean":
      return "bool"
    case "any":
      return "Any"
    case "list":
      return `Tuple[${typeOf(type.of)}, ...]`
    case "map":
      return `Mapping[str, ${typeOf(type.of)}]`
    case "record":
      return type.name
  }
}

const readerOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
      return "wire.text"
    case "any":
      return "wire.anything"
    case "list":
      return `wire.many(${readerOf(type.of)})`
    case "map":
      return `wire.mapping(${readerOf(type.of)})`
    case "record":
      return `${type.name}.of`
    default:
      return `wire.${type.kind}`
  }
}

const givenTypeOf = (type: Type): string => {
  switch (type.kind) {
    case "amount":
      return "AmountLike"
    case "list":
      return `Sequence[${givenTypeOf(type.of)}]`
    default:
      return typeOf(type)
  }
}

const sentence = (text: string): string =>
  text
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/(?<![.:?])$/u, ".")

/** Formats a docstring in lines of about 90 characters plus the indentation. */
const docstring = (text: string, indent: string): string => {
  if (text === "") return ""
  const lines = [""]
  for (const word of sentence(text).replaceAll("\\", "\\\\").split(" ")) {
    const line = lines.at(-1) ?? ""
    if (line !== "" && line.length + word.length > 90) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.length === 1
    ? `${indent}"""${lines[0]}"""\n`
    : `${indent}"""${lines.join(`\n${indent}`)}\n${indent}"""\n`
}

const recordsWithin = (type: Type): ReadonlyArray<string> =>
  type.kind === "record" ? [type.name] : "of" in type ? recordsWithin(type.of) : []

/** Orders records so that each class is defined before the classes that refer to it. */
const inOrder = (records: ReadonlyArray<RecordType>): ReadonlyArray<RecordType> => {
  const ordered: Array<RecordType> = []
  const visit = (record: RecordType): void => {
    if (ordered.includes(record)) return
    for (const name of record.fields.flatMap(({ type }) => recordsWithin(type))) {
      const inner = records.find((other) => other.name === name)
      if (inner !== undefined) visit(inner)
    }
    ordered.push(record)
  }
  records.forEach(visit)
  return ordered
}

const model = ({ docs, fields, name }: RecordType): string => {
  const attributes = fields.map(
    ({ name: wire, required, type }) =>
      `    ${snake(wire)}: ${required ? typeOf(type) : `Optional[${typeOf(type)}] = None`}\n`
  )
  const readers = fields.map(({ name: wire, type }) => `        ("${snake(wire)}", "${wire}", ${readerOf(type)}),\n`)
  return `@dataclass(frozen=True, repr=False)
class ${name}(Record):
${docstring(docs === "" ? `${name} as the service returns it.` : docs, "    ")}
${attributes.join("")}
    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
${readers.join("")}    )
`
}

/** Generates `models.py`. */
export const pythonModels = (all: MerchantInterface): string =>
  `${head}"""Records that the service returns and delivers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, Mapping, Optional, Tuple

from .. import _record as wire
from .._record import Record, Reader

${inOrder(all.records)
  .map(model)
  .map((code) => `\n${code}`)
  .join("\n")}`

const input = ({ docs, fields, name }: RecordType): string => {
  const line = ({ name: wire, type }: Field) => `    ${wire}: ${givenTypeOf(type)}\n`
  const required = fields.filter((field) => field.required).map(line)
  const optional = fields.filter((field) => !field.required).map(line)
  const text = docstring(docs === "" ? "Part of a request." : docs, "    ")
  if (required.length === 0) return `class ${name}(TypedDict, total=False):\n${text}\n${optional.join("")}`
  return `class _${name}Required(TypedDict):\n${required.join("")}\n\nclass ${name}(_${name}Required, total=False):\n${text}\n${optional.join("")}`
}

const parameterOf = (all: MerchantInterface, field: Field): string => {
  const { name: wire, required, type } = field
  const name = snake(wire)
  if (required) return `${name}: ${givenTypeOf(type)}`
  return isBound(all, field)
    ? `${name}: Union[${givenTypeOf(type)}, Omitted] = OMITTED`
    : `${name}: Optional[${givenTypeOf(type)}] = None`
}

const dictOf = (fields: ReadonlyArray<Field>): string =>
  `{${fields.map(({ name }) => `"${name}": ${snake(name)}`).join(", ")}}`

const method = (all: MerchantInterface, operation: Operation): string => {
  const { answer, body, docs, id, keyed, pathFields, query } = operation
  const positional = pathFields.map(({ name }) => `${snake(name)}: str`)
  const named = [...query, ...body].map((field) => parameterOf(all, field))
  const extras = [...(keyed ? ["idempotency_key: Optional[str] = None"] : []), "options: Optional[CallOptions] = None"]
  const parameters = ["self", ...positional, "*", ...named, ...extras]
  const returns = { record: answer.name, records: `Tuple[${answer.name}, ...]`, pages: `Pages[${answer.name}]` }[
    answer.kind
  ]
  const given = [
    ...(pathFields.length > 0 ? [`path=${dictOf(pathFields)}`] : []),
    ...(query.length > 0 ? [`query=${dictOf(query)}`] : []),
    ...(body.length > 0 ? [`body=${dictOf(body)}`] : []),
    ...(keyed ? ["idempotency_key=idempotency_key"] : [])
  ]
  return `    def ${snake(operation.method)}(
        ${parameters.join(",\n        ")},
    ) -> ${returns}:
${docstring(docs, "        ")}        return self._send.${answer.kind}(
            ${[`"${id}"`, `${answer.name}.of`, ...given, "options=options"].join(",\n            ")},
        )
`
}

/** Generates `operations.py`: a class for each group, and the table of routes. */
export const pythonOperations = (all: MerchantInterface): string => {
  const groups = [...groupsOf(all)]
  const used = [...new Set(all.operations.map(({ answer }) => answer.name))].toSorted()
  const classes = groups.map(
    ([group, operations]) => `class ${pascal(group)}Operations:
    """Operations of \`${snake(group)}\`."""

    def __init__(self, send: Send) -> None:
        self._send = send

${operations.map((operation) => method(all, operation)).join("\n")}`
  )
  const routes = all.operations.map(
    ({ id, keyed, path, verb }) => `    "${id}": Route("${verb}", "${path}", ${keyed ? "True" : "False"}),\n`
  )
  const code = [...all.inputs.map(input), ...classes].join("\n\n")
  const typing = /\bAny\b/u.test(code) ? "Any, " : ""
  return `${head}"""Every operation of the merchant interface."""

from __future__ import annotations

from typing import ${typing}Dict, Literal, Optional, Sequence, Tuple, TypedDict, Union

from .._options import OMITTED, CallOptions, Omitted
from .._send import Route, Send
from ..amounts import AmountLike
from ..pages import Pages
from .models import (
${used.map((name) => `    ${name},\n`).join("")})

ROUTES: Dict[str, Route] = {
${routes.join("")}}


${code}

class Operations:
    """The groups of operations, which a client has as attributes."""

    def __init__(self, send: Send) -> None:
${groups.map(([group]) => `        self.${snake(group)} = ${pascal(group)}Operations(send)\n`).join("")}`
}

/** Generates `codes.py`. */
export const pythonCodes = (all: MerchantInterface): string => `${head}"""Codes of problems, and topics of events."""

from __future__ import annotations

from typing import Callable, Dict, Final, FrozenSet, Literal, Mapping, Tuple, Union

from .generated.models import (
${all.topics
  .map(({ payload }) => `    ${payload},\n`)
  .toSorted()
  .join("")})

${all.codes.map(({ code, docs, status }) => `# ${status}. ${docs}\n${code.toUpperCase()}: Final = "${code}"\n`).join("")}
KnownCode = Literal[
${all.codes.map(({ code }) => `    "${code}",\n`).join("")}]

# Codes that this version of the package knows.
CODES: FrozenSet[str] = frozenset(
    (
${all.codes.map(({ code }) => `        "${code}",\n`).join("")}    )
)

Topic = Literal[
${all.topics.map(({ topic }) => `    "${topic}",\n`).join("")}]

Payload = Union[${all.topics.map(({ payload }) => payload).join(", ")}]

# How each known topic's payload is read.
PAYLOADS: Dict[str, Callable[[Mapping[str, object]], Payload]] = {
${all.topics.map(({ payload, topic }) => `    "${topic}": ${payload}.of,\n`).join("")}}

# A key that only this topic's payload has; with a value, the key has that value there alone.
MARKS: Dict[str, Tuple[str, object]] = {
${all.topics.map(({ mark, topic }) => `    "${topic}": ("${mark.key}", ${mark.value === undefined ? "None" : `"${mark.value}"`}),\n`).join("")}}

AMOUNT_FIELDS: FrozenSet[str] = frozenset((${all.amountFields.map((name) => `"${name}",`).join(" ")}))

# Fields that are an amount, or hold one in a record of theirs.
MONEY_FIELDS: FrozenSet[str] = frozenset((${all.moneyFields.map((name) => `"${name}",`).join(" ")}))

# Names of other fields without which a request does or shows the most.
BOUND_FIELDS: FrozenSet[str] = frozenset((${all.boundFields.map((name) => `"${name}",`).join(" ")}))
`
