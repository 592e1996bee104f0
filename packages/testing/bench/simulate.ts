// Runs the simulation from the command line: `npx pnpm simulate` (docs/simulation.md). Exits with 1 if a story violates
// an invariant, and with 2 on a usage error.
import { simulate } from "@surety/testing/simulation/command/SimulateCommand"

process.exitCode = simulate(process.argv.slice(2), { print: console.log, note: console.error })
