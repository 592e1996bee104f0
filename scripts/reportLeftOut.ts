import { report } from "../packages/testing/src/machine/LeftOut.ts"

/** Prints each area left untested because a variable is set or missing. Vitest calls this at the end of a run. */
export const teardown = (): void => {
  for (const line of report(process.env)) console.error(`\n${line}`)
}
