import { randomBytes } from "node:crypto"
import { Redacted } from "effect"

/** Builds settings for a production server on the given database, with new secrets. `more` overrides them. */
export const production = (
  databaseUrl: Redacted.Redacted,
  more: Readonly<Record<string, string>> = {}
): Readonly<Record<string, string>> => ({
  SURETY_PROFILE: "production",
  DATABASE_URL: Redacted.value(databaseUrl),
  DATABASE_CONNECTIONS: "4",
  OPERATOR_TOKEN: `op_${randomBytes(16).toString("hex")}`,
  SECRETS_KEY: randomBytes(32).toString("base64"),
  LOG_LEVEL: "warning",
  ...more
})

export const application = {
  name: "Corner Shop",
  legalName: "Corner Shop Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@corner.example",
  country: "NG",
  businessType: "retail"
}
