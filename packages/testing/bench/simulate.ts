// Run with `npx pnpm simulate`. See docs/simulation.md.
import { simulate } from "@surety/testing/simulation/command/SimulateCommand"

process.exitCode = simulate(process.argv.slice(2), { print: console.log, note: console.error })
