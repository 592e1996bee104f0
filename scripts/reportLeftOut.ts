import { report } from "../packages/testing/src/machine/LeftOut.ts"

/** Vitest calls this at the end of a run. Prints what environment variables, set or missing, left untested. */
export const teardown = (): void => {
  for (const line of report(process.env)) console.error(`\n${line}`)
}
