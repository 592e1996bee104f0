import { Command } from "effect/cli"
import { settingTable } from "../settings/settingTable.js"
import { key } from "./key.js"
import { merchant } from "./merchant.js"
import { migrate } from "./migrate.js"
import { serve } from "./serve.js"
import { verify } from "./verify.js"

const settingLines = Object.values(settingTable).map(
  ({ defaultText, meaning, name }) => `  ${name}\n      ${meaning} (default: ${defaultText})`
)

/** The `surety` command. */
export const surety = Command.make("surety").pipe(
  Command.withDescription(
    [
      "Consent, managed KYC, wallet refunds and signed webhooks for merchants, server to server.",
      "",
      "SETTINGS (environment variables)",
      ...settingLines
    ].join("\n")
  ),
  Command.withSubcommands([serve, migrate, verify, merchant, key])
)
