import {
  type Field,
  groupsOf,
  isBound,
  type MerchantInterface,
  type Operation,
  pascal,
  type RecordType,
  type Type
} from "./MerchantInterface.ts"

const head = `<?php
// Generated from the interface's definition by \`vitest -u tests/sdks\`. Do not edit.

declare(strict_types=1);
`

const camel = (name: string): string => name.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())

const nativeOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
    case "amount":
      return "string"
    case "integer":
      return "int"
    case "boolean":
      return "bool"
    case "any":
      return "mixed"
    case "list":
    case "map":
      return "array"
    case "record":
      return type.name
  }
}

const docOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
      return type.values.length === 0 ? "string" : type.values.map((value) => `'${value}'`).join("|")
    case "amount":
      return "numeric-string"
    case "list":
      return `list<${docOf(type.of)}>`
    case "map":
      return `array<string, ${docOf(type.of)}>`
    default:
      return nativeOf(type)
  }
}

const sentence = (text: string): string =>
  text
    .replaceAll(/\s+/gu, " ")
    .replaceAll("*/", "* /")
    .trim()
    .replace(/(?<![.:?])$/u, ".")

const wrapped = (text: string, indent: string): string => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? ""
    if (line !== "" && line.length + word.length > 100) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.map((line) => `${indent} * ${line}\n`).join("")
}

const comment = (texts: ReadonlyArray<string>, indent: string): string =>
  texts.length === 0 ? "" : `${indent}/**\n${texts.map((text) => wrapped(text, indent)).join("")}${indent} */\n`

/** Returns a PHP expression that checks a decoded JSON value and converts it to this type. */
const readerOf = (type: Type, value: string): string => {
  switch (type.kind) {
    case "amount":
      return `Wire::amount(${value})`
    case "string":
      return `Wire::text(${value})`
    case "integer":
      return `Wire::integer(${value})`
    case "boolean":
      return `Wire::boolean(${value})`
    case "any":
      return value
    case "list":
      return `Wire::many(${value}, static fn (mixed $it): ${nativeOf(type.of)} => ${readerOf(type.of, "$it")})`
    case "map":
      return `Wire::mapping(${value}, static fn (mixed $it): ${nativeOf(type.of)} => ${readerOf(type.of, "$it")})`
    case "record":
      return `${type.name}::of(Wire::object(${value}))`
  }
}

const model = ({ docs, fields, name }: RecordType): string => {
  const params = fields.map(({ name: wire, required, type }) => {
    const native = nativeOf(type)
    return required || native === "mixed"
      ? `        public readonly ${native} $${camel(wire)},\n`
      : `        public readonly ?${native} $${camel(wire)},\n`
  })
  const tags = fields.flatMap(({ name: wire, required, type }) => {
    const doc = docOf(type)
    return doc === nativeOf(type) ? [] : [`@param ${doc}${required ? "" : "|null"} $${camel(wire)}`]
  })
  const reads = fields.map(({ name: wire, required, type }) => {
    const value = `$raw['${wire}']`
    if (type.kind === "any") return `            ${value} ?? null,\n`
    return required
      ? `            ${readerOf(type, `${value} ?? null`)},\n`
      : `            isset(${value}) ? ${readerOf(type, value)} : null,\n`
  })
  return `${comment([sentence(docs === "" ? `${name} as the service returns it` : docs)], "")}final class ${name} extends Record
{
${comment([...tags, "@param array<string, mixed> $raw"], "    ")}    public function __construct(
${params.join("")}        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
${reads.join("")}            $raw,
        );
    }
}
`
}

/** Generates `models.php`. */
export const phpModels = (all: MerchantInterface): string =>
  `${head}
namespace Surety\\Model;

use Surety\\Record;
use Surety\\Internal\\Wire;

${all.records.map(model).join("\n")}`

const givenDoc = (type: Type, all: MerchantInterface): string => {
  if (type.kind === "list") return `list<${givenDoc(type.of, all)}>`
  if (type.kind !== "record") return docOf(type)
  const input = all.inputs.find(({ name }) => name === type.name)
  const members = (input?.fields ?? []).map(
    (field) => `${field.name}${field.required ? "" : "?"}: ${givenDoc(field.type, all)}`
  )
  return `array{${members.join(", ")}}`
}

const parameter = (all: MerchantInterface, field: Field): string => {
  const { name, required, type } = field
  const native = type.kind === "amount" ? "string|int|float" : type.kind === "record" ? "array" : nativeOf(type)
  const union = native === "mixed" ? "string|int|float|bool|array" : native
  if (isBound(all, field) && !required) return `${union}|Omit $${camel(name)} = Omit::Field`
  if (required) return `${native} $${camel(name)}`
  return `${native === "mixed" ? native : `?${native}`} $${camel(name)} = null`
}

const arrayOf = (fields: ReadonlyArray<Field>): string =>
  `[${fields.map(({ name }) => `'${name}' => $${camel(name)}`).join(", ")}]`

const method =
  (all: MerchantInterface) =>
  (operation: Operation): string => {
    const { answer, body, docs, id, keyed, pathFields, query } = operation
    const fields = [...pathFields, ...query, ...body]
    const parameters = [
      ...fields.filter(({ required }) => required).map((field) => parameter(all, field)),
      ...fields.filter(({ required }) => !required).map((field) => parameter(all, field)),
      ...(keyed ? ["?string $idempotencyKey = null"] : []),
      "?CallOptions $options = null"
    ]
    const tags = fields.flatMap((field) => {
      const { name, required, type } = field
      const doc = givenDoc(type, all)
      return type.kind === "amount" || doc !== nativeOf(type)
        ? [`@param ${doc}${required ? "" : isBound(all, field) ? "|Omit" : "|null"} $${camel(name)}`]
        : []
    })
    const returns = { record: answer.name, records: "array", pages: "Pages" }[answer.kind]
    const generic = {
      record: [],
      records: [`@return list<${answer.name}>`],
      pages: [`@return Pages<${answer.name}>`]
    }[answer.kind]
    const given = [
      `'${id}'`,
      `${answer.name}::of(...)`,
      ...(pathFields.length > 0 ? [`path: ${arrayOf(pathFields)}`] : []),
      ...(query.length > 0 ? [`query: ${arrayOf(query)}`] : []),
      ...(body.length > 0 ? [`body: ${arrayOf(body)}`] : []),
      ...(keyed ? ["idempotencyKey: $idempotencyKey"] : []),
      "options: $options"
    ]
    return `${comment([sentence(docs), ...tags, ...generic], "    ")}    public function ${operation.method}(
        ${parameters.join(",\n        ")},
    ): ${returns} {
        return $this->send->${answer.kind}(
            ${given.join(",\n            ")},
        );
    }
`
  }

/** Generates `operations.php`: a class for each group, and the table of routes. */
export const phpOperations = (all: MerchantInterface): string => {
  const groups = [...groupsOf(all)]
  const used = [...new Set(all.operations.map(({ answer }) => answer.name))].toSorted()
  const routes = all.operations.map(
    ({ id, keyed, path, verb }) => `        '${id}' => ['${verb}', '${path}', ${keyed}],\n`
  )
  const classes = groups.map(
    ([group, operations]) => `/** Operations of \`${group}\`. */
final class ${pascal(group)}Operations
{
    /** @internal */
    public function __construct(private readonly Send $send)
    {
    }

${operations.map(method(all)).join("\n")}}
`
  )
  return `${head}
namespace Surety\\Operation;

use Surety\\CallOptions;
use Surety\\Internal\\Send;
${used.map((name) => `use Surety\\Model\\${name};\n`).join("")}use Surety\\Omit;
use Surety\\Pages;

/** @internal */
final class Routes
{
    /** Method, path, and whether it takes an \`Idempotency-Key\`. */
    public const ALL = [
${routes.join("")}    ];

    /** Fields of requests that hold an amount. */
    public const AMOUNT_FIELDS = [${all.amountFields.map((name) => `'${name}'`).join(", ")}];
}

${classes.join("\n")}
/** The groups of operations. A client extends it. */
abstract class AllOperations
{
${groups.map(([group]) => `    public readonly ${pascal(group)}Operations $${group};\n`).join("")}
    protected function __construct(Send $send)
    {
${groups.map(([group]) => `        $this->${group} = new ${pascal(group)}Operations($send);\n`).join("")}    }
}
`
}

/** Generates `codes.php`. */
export const phpCodes = (all: MerchantInterface): string => `${head}
namespace Surety;

use Surety\\Model;

/** Codes of problems. A service that is newer than this package may send others. */
final class Code
{
${all.codes.map(({ code, docs, status }) => `    /** ${status}. ${docs} */\n    public const ${code.toUpperCase()} = '${code}';\n`).join("")}}

/** Topics of events. */
final class Topic
{
${all.topics.map(({ topic }) => `    public const ${topic.replaceAll(".", "_").toUpperCase()} = '${topic}';\n`).join("")}
    /** The class of each topic's payload. */
    public const PAYLOADS = [
${all.topics.map(({ payload, topic }) => `        '${topic}' => Model\\${payload}::class,\n`).join("")}    ];

    /** A key that only this topic's payload has; with a value, the key has that value there alone. */
    public const MARKS = [
${all.topics.map(({ mark, topic }) => `        '${topic}' => ['${mark.key}', ${mark.value === undefined ? "null" : `'${mark.value}'`}],\n`).join("")}    ];
}
`
