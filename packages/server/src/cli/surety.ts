import { Command } from "effect/cli"

/** A command's line in `surety --help`, and a function that loads the command's module. */
const listed = <Name extends string, Input, ContextInput, E, R>(
  name: Name,
  description: string,
  module: () => Promise<Command.Command<Name, Input, ContextInput, E, R>>
) => ({
  name,
  line: Command.withDescription(Command.make(name), description),
  load: async () => Command.withDescription(await module(), description)
})

const commands = [
  listed(
    "serve",
    "Start the server. It stops on SIGTERM or Ctrl-C, after finishing what is in flight.",
    async () => (await import("./serve.js")).serve
  ),
  listed(
    "migrate",
    "Bring the database's schema up to date, and exit.",
    async () => (await import("./migrate.js")).migrate
  ),
  listed(
    "verify",
    "Check that the ledger balances, balances equal the sum of their postings, refunded totals equal the refunds, " +
      "every consent has its receipt, every chain of receipts is unbroken, and no event lacks its commit. Exits with 1 if not.",
    async () => (await import("./verify.js")).verify
  ),
  listed(
    "doctor",
    "Check settings, database, clock and pending refunds, call each hook with a test call that must change nothing, and ask each " +
      "KYC vendor whether it accepts its credentials. " +
      "Reports what is wrong and what to do. Exits with 1 if anything is wrong.",
    async () => (await import("./doctor.js")).doctor
  ),
  listed("merchant", "Manage merchants and their API keys, and accept, reject, suspend or close them.", async () =>
    (await import("./merchant.js")).merchantCommand()
  ),
  listed("key", "Create API keys.", async () => (await import("./key.js")).key),
  listed("webhook", "Manage merchants' webhook endpoints.", async () =>
    (await import("./operation/operationCommands.js")).operationGroup("webhook", "webhooks")
  ),
  listed(
    "operator",
    "Do what operators do over HTTP: consumers, links, payments, consent, deliveries, the ledger.",
    async () =>
      (await import("./operation/operationCommands.js")).operationGroup(
        "operator",
        "operator",
        "operatorConsumers",
        "operatorMoney",
        "operatorApprovals",
        "operatorConsent",
        "operatorEvents",
        "operatorActions"
      )
  ),
  listed(
    "person",
    "Serve people's rights: export, rectify, restrict and erase, and resolve their rights requests.",
    async () => (await import("./operation/operationCommands.js")).operationGroup("person", "people")
  ),
  listed(
    "retention",
    "Take the records older than RETENTION_… allows, or print their counts.",
    async () => (await import("./retention.js")).retention
  ),
  listed(
    "archive",
    "Move events that no record names, with their deliveries, month by month to compressed files. Removes them only once " +
      "the files are verified. Run as the tables' owner; run it again to resume after a kill.",
    async () => (await import("./archive.js")).archive
  ),
  listed(
    "partition",
    "Partition tables that grow over time by month, from the start or later. Run as the tables' owner.",
    async () => (await import("./partition.js")).partition
  ),
  listed(
    "cells",
    "Keep merchants in several databases: list the cells, add one, move a merchant.",
    async () => (await import("./cells.js")).cells
  ),
  listed("breach", "Find out whom a breach affects.", async () => (await import("./breach.js")).breach)
]

/** Returns the command that `args` name. Only global flags and their values may precede it. */
export const commandIn = (args: ReadonlyArray<string>): string | undefined =>
  args.find((arg) => commands.some(({ name }) => name === arg))

const summary = "Consent, managed KYC, wallet refunds and signed webhooks for merchants, server to server."

/** Matches global flags that require every command to be loaded. */
const readsAll = /^--(completions|wizard)(=|$)/

/**
 * Builds the `surety` command for `args`. Loads only the commands that `args` name, since importing all of them takes
 * longer than most commands run. The other commands appear only in `--help`. A flag that `readsAll` matches loads all
 * commands. The help text lists the settings unless `args` begin with a command or `--version`.
 */
export const surety = async (args: ReadonlyArray<string>) => {
  const all = args.some((arg) => readsAll.test(arg))
  const [first = ""] = args
  const isHelp = first !== "--version" && !commands.some(({ name }) => name === first)
  const lines = isHelp ? (await import("../settings/parseSettings.js")).settingLines() : []
  return Command.make("surety").pipe(
    Command.withDescription([summary, ...lines].join("\n")),
    Command.withSubcommands(
      await Promise.all(commands.map(({ line, load, name }) => (all || args.includes(name) ? load() : line)))
    )
  )
}
