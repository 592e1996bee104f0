import { report } from "../packages/testing/src/machine/LeftOut.ts"

/** Vitest's global setup: prints at the end of a run what the environment's variables left out. */
export const teardown = (): void => {
  for (const line of report(process.env)) console.error(`\n${line}`)
}
