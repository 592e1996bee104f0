import { Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import {
  type IdentityField,
  type IdentityFieldFault,
  IdentityFields,
  maxFields,
  IdentityField as Name,
  parseAny,
  parseDistinct
} from "../consumer/IdentityField.js"
import type { FaultCode } from "./InputFault.js"
import { atLeastItems, atMostItems, issueOf, text } from "./Text.js"

type Faults = ReadonlyArray<IdentityFieldFault>

const codes: Readonly<Record<IdentityFieldFault["code"], FaultCode>> = {
  fields_required: "too_short",
  fields_too_many: "too_long",
  field_unknown: "field_unknown",
  field_repeated: "field_repeated"
}

const Fields = Schema.Array(Schema.toType(Name))

/**
 * Combines faults into one schema issue. `at` maps the index of the faulty name, or undefined for the whole list, to a
 * path.
 */
const issueOfFaults = (faults: Faults, at: (index: number | undefined) => ReadonlyArray<PropertyKey>) => {
  const [first, ...others] = faults.map(({ code, detail, index }): SchemaIssue.Issue => {
    const issue = issueOf({ code: codes[code], detail })
    const path = at(index)
    return path.length === 0 ? issue : new SchemaIssue.Pointer(path, issue)
  })
  if (first === undefined)
    return issueOf({ code: "wrong_format", detail: "Expected names of identity fields, such as display_name." })
  return others.length === 0 ? first : new SchemaIssue.Composite(Fields.ast, [first, ...others])
}

/** Runs `parse` with the registered fields, including a host's own. */
const understood = (
  parse: (known: ReadonlyArray<IdentityField>) => Result.Result<ReadonlyArray<IdentityField>, Faults>,
  at: (index: number | undefined) => ReadonlyArray<PropertyKey>
): Effect.Effect<ReadonlyArray<IdentityField>, SchemaIssue.Issue> =>
  Effect.flatMap(IdentityFields, (known) => {
    const parsed = parse(known)
    return Result.isSuccess(parsed) ? Effect.succeed(parsed.success) : Effect.fail(issueOfFaults(parsed.failure, at))
  })

/** Names of identity fields in a body: 1 to 32, each known and distinct (specification 2.3, contract 7). */
export const IdentityFieldNames = Schema.Array(Schema.String)
  .check(atLeastItems(1), atMostItems(maxFields))
  .annotate({
    description: "Names of identity fields, each once: service_id, display_name, country, email, phone_verified, …",
    examples: [["display_name", "email"]]
  })
  .pipe(
    Schema.decodeTo(Fields, {
      decode: SchemaGetter.transformEffect((names: ReadonlyArray<string>) =>
        understood(
          (known) => parseDistinct(names, known),
          (index) => (index === undefined ? [] : [index])
        )
      ),
      encode: SchemaGetter.transform((names: ReadonlyArray<string>) => names)
    })
  )

/**
 * A comma-separated list of identity field names in a query, of at most 4,096 characters (specification 4.2). Drops
 * repeated names.
 */
export const IdentityFieldList = text(4096)
  .annotate({
    description: "Comma-separated names of identity fields. Default: all approved fields.",
    examples: ["display_name,email"]
  })
  .pipe(
    Schema.decodeTo(Fields, {
      decode: SchemaGetter.transformEffect((list: string) =>
        understood(
          (known) =>
            parseAny(
              list.split(",").map((name) => name.trim()),
              known
            ),
          () => []
        )
      ),
      encode: SchemaGetter.transform((names: ReadonlyArray<string>) => names.join(","))
    })
  )
