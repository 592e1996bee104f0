import { openApiDocument } from "@surety/http/docs/OpenApiDocument"
import { Schema } from "effect"
import { expect, it } from "vitest"
import { textOf } from "./Fence.js"

const Field = Schema.Struct({
  minLength: Schema.optionalKey(Schema.Number),
  maxLength: Schema.optionalKey(Schema.Number),
  minItems: Schema.optionalKey(Schema.Number),
  maxItems: Schema.optionalKey(Schema.Number)
})

const Fields = Schema.Record(
  Schema.String,
  Schema.Struct({ ...Field.fields, properties: Schema.optionalKey(Schema.Record(Schema.String, Field)) })
)

const Document = Schema.Struct({
  components: Schema.Struct({
    schemas: Schema.Record(Schema.String, Schema.Struct({ properties: Schema.optionalKey(Fields) }))
  })
})

const { schemas } = Schema.decodeUnknownSync(Document)(openApiDocument("")).components

/** Returns a field's limits. `path` names the field, for example `RefundRequest.reason`. */
const limitsOf = (path: string): typeof Field.Type => {
  const [schema = "", field = "", inner] = path.split(".")
  const found = schemas[schema]?.properties?.[field]
  return (inner === undefined ? found : found?.properties?.[inner]) ?? expect.fail(`there is no ${path}`)
}

const rows = textOf("docs/merchants/limits.md")
  .split("\n")
  .filter((line) => line.startsWith("| "))

it.each([
  ["KYC `id`", "VerificationRequest.id"],
  ["KYC `tier`", "VerificationRequest.tier"],
  ["KYC `first_name`", "VerificationRequest.validation.first_name"],
  ["`last_name`", "VerificationRequest.validation.last_name"],
  ["KYC `date_of_birth`", "VerificationRequest.validation.date_of_birth"],
  ["KYC `selfie`", "VerificationRequest.validation.selfie"],
  ["refund `reason`", "RefundRequest.reason"],
  ["refund `merchant_reference`", "RefundRequest.merchant_reference"],
  ["refund `items`", "RefundRequest.items"],
  ["refund `items`", "RefundItemRequest.reason"],
  ["`requested_fields`", "DataRequestForm.requested_fields"],
  ["`purpose`", "DataRequestForm.purpose"]
])("the merchants' page says of %s what the interface says", (label, path) => {
  const row = rows.find((line) => line.includes(label)) ?? expect.fail(`no row has ${label}`)
  const { maxItems, maxLength, minItems, minLength } = limitsOf(path)
  const most = maxLength ?? maxItems ?? expect.fail(`${path} has no limit`)
  const least = minLength ?? minItems ?? 0
  expect(row).toMatch(new RegExp(`\\b${most.toLocaleString("en")}\\b`))
  if (least > 0) expect(row).toMatch(new RegExp(`\\b${least} to ${most.toLocaleString("en")}\\b`))
})
