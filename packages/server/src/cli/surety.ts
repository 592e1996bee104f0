import { Command } from "effect/cli"
import { settingTable } from "../settings/settingTable.js"
import { key } from "./key.js"
import { merchant } from "./merchant.js"
import { migrate } from "./migrate.js"
import { operationCommands } from "./operation/operationCommands.js"
import { serve } from "./serve.js"
import { verify } from "./verify.js"

const settingLines = Object.values(settingTable).map(
  ({ defaultText, meaning, name }) => `  ${name}\n      ${meaning} (default: ${defaultText})`
)

const operator = Command.make("operator").pipe(
  Command.withDescription("Do what the operator's routes do."),
  Command.withSubcommands(operationCommands("operator", "operatorConsent", "operatorEvents"))
)

const webhook = Command.make("webhook").pipe(
  Command.withDescription("Manage merchants' webhook endpoints."),
  Command.withSubcommands(operationCommands("webhooks"))
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
  Command.withSubcommands([serve, migrate, verify, merchant, key, webhook, operator])
)
