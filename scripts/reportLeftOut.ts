import { report } from "../packages/testing/src/machine/LeftOut.ts"

/** Vitest's global setup. At the end of a run, prints what the environment's variables left untested. */
export const teardown = (): void => {
  for (const line of report(process.env)) console.error(`\n${line}`)
}
