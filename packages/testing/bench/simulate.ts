// Tells simulated stories. Exits with 1 if one violates an invariant, and with 2 on wrong usage. Run with
// `npx pnpm simulate` (docs/simulation.md).
import { simulate } from "@surety/testing/simulation/command/SimulateCommand"

process.exitCode = simulate(process.argv.slice(2), { print: console.log, note: console.error })
