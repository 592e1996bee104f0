import { Command } from "effect/cli"
import { kycVendors } from "../kyc/kycSetup.js"
import { settingTable } from "../settings/Settings.js"
import { breach } from "./breach.js"
import { doctor } from "./doctor.js"
import { key } from "./key.js"
import { merchantCommand } from "./merchant.js"
import { migrate } from "./migrate.js"
import { type OperationCommands, operationCommands } from "./operation/operationCommands.js"
import { retention } from "./retention.js"
import { serve } from "./serve.js"
import { verify } from "./verify.js"

const settingLines = [...Object.values(settingTable), ...kycVendors.flatMap(({ settings }) => settings)].map(
  ({ defaultText, meaning, name }) => `  ${name}\n      ${meaning} (default: ${defaultText})`
)

const operator = (commandsOf: OperationCommands) =>
  Command.make("operator").pipe(
    Command.withDescription("Run the operator's operations."),
    Command.withSubcommands(
      commandsOf(
        "operator",
        "operatorConsumers",
        "operatorMoney",
        "operatorApprovals",
        "operatorConsent",
        "operatorEvents",
        "operatorActions"
      )
    )
  )

const webhook = (commandsOf: OperationCommands) =>
  Command.make("webhook").pipe(
    Command.withDescription("Manage merchants' webhook endpoints."),
    Command.withSubcommands(commandsOf("webhooks"))
  )

const person = (commandsOf: OperationCommands) =>
  Command.make("person").pipe(
    Command.withDescription(
      "Serve people's rights: export, rectify, restrict and erase, and the rights that they asked for."
    ),
    Command.withSubcommands(commandsOf("people"))
  )

const others = () => {
  const commandsOf = operationCommands()
  return [
    migrate,
    verify,
    doctor,
    merchantCommand(commandsOf),
    key,
    webhook(commandsOf),
    operator(commandsOf),
    person(commandsOf),
    retention,
    breach
  ]
}

/**
 * The `surety` command for `args`. `serve` does not load the commands made from the interface's definition, to start
 * fast.
 */
export const surety = ([first]: ReadonlyArray<string>) =>
  Command.make("surety").pipe(
    Command.withDescription(
      [
        "Consent, managed KYC, wallet refunds and signed webhooks for merchants, server to server.",
        "",
        "SETTINGS (environment variables)",
        ...settingLines
      ].join("\n")
    ),
    Command.withSubcommands([serve, ...(first === "serve" ? [] : others())])
  )
