#!/usr/bin/env node
import "../entry/checkNode.js"
import { parseArgs } from "node:util"
import * as Finding from "@surety/core/DoctorFinding"
import { diagnose } from "../doctor/diagnose.js"
import { loadPatient } from "../doctor/loadPatient.js"

const usage = `surety-embed doctor [--config ./surety.mjs] [--user surety-doctor]

Checks the options, the database's role, migrations and clock, and what is due; refunds 1 naira in TEST through the
configured wallet and reads the person by the configured directory. Exits with 1 if anything is wrong.

  --config  a module that exports, as \`surety\`, \`options\` or by default, a created Surety, the options of
            createSurety, or a function that returns either (default: ./surety.mjs)
  --user    the id of one of your users, who gets the naira in TEST (default: surety-doctor)
`

const say = (text: string): Promise<void> => new Promise((resolve) => process.stdout.write(text, () => resolve()))

const run = async (args: ReadonlyArray<string>): Promise<number> => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      config: { type: "string", default: "./surety.mjs" },
      user: { type: "string", default: "surety-doctor" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help || positionals.length !== 1 || positionals[0] !== "doctor") {
    await say(usage)
    return values.help ? 0 : 2
  }
  const findings = await diagnose(await loadPatient(values.config), values.user)
  await say(`${findings.map(Finding.lineOf).join("\n")}\n`)
  return findings.some(({ verdict }) => verdict === "fault") ? 1 : 0
}

const ended = await run(process.argv.slice(2)).catch(async (cause: unknown) => {
  await say(`${Finding.lineOf(Finding.fault("doctor", cause instanceof Error ? cause.message : String(cause)))}\n`)
  return 2
})
// Exits explicitly, because the host's open pool or Surety instance would keep the process alive.
process.exit(ended)
