import path from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { root } from "./packages.ts"

/**
 * The slowest test files, by their durations in the full run of 2026-11-23. They start first, since a slow file that
 * starts late prolongs the run.
 */
export const longestFiles: ReadonlyArray<string> = [
  "packages/server/test/deploy/highAvailability.test.ts",
  "packages/cells/test/law/laws.test.ts",
  "packages/server/test/load/Hostile.test.ts",
  "packages/postgres/test/laws.test.ts",
  "tests/installed/hostProject.test.ts",
  "packages/server/test/load/UnreadAnswers.test.ts",
  "packages/server/test/FirstStart.test.ts",
  "packages/server/test/load/EndUnderLoad.test.ts",
  "tests/installed/embed.test.ts",
  "packages/server/test/PlatformEvents.test.ts",
  "packages/server/test/Canary.test.ts",
  "packages/server/test/database/SenderTakeover.test.ts",
  "packages/server/test/cli/cli.test.ts",
  "packages/server/test/database/TransactionPooling.test.ts",
  "packages/server/test/lists/listReads.test.ts",
  "packages/consent-kit/test/inBrowser.test.ts",
  "packages/server/test/GuidesInBrowser.test.ts",
  "packages/console/test/Looks.test.ts",
  "packages/testing/test/simulation/simulation.test.ts",
  "packages/server/test/docs/merchants.test.ts",
  "packages/server/test/load/Histories.test.ts",
  "packages/server/test/database/MissingDatabase.test.ts",
  "packages/postgres/test/event/deliveryClaims.test.ts",
  "packages/server/test/load/HookKills.test.ts",
  "packages/server/test/platform/wholeWay.test.ts",
  "packages/postgres/test/connection/PgReadiness.test.ts",
  "packages/server/test/load/LoadAndHalfRequests.test.ts",
  "packages/consent-page/test/Looks.test.ts",
  "packages/server/test/embedding/pages.test.ts",
  "packages/server/test/database/DatabaseOutage.test.ts",
  "packages/postgres/test/partition/laws.test.ts"
]

/** Folders with the next slowest files. */
const longestFolders: ReadonlyArray<string> = [
  "tests",
  ...["server", "consent-page", "postgres", "testing", "embed", "client", "verifier"].map((name) => `packages/${name}`)
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const file = longestFiles.findIndex((longest) => moduleId === path.join(root, longest))
  if (file !== -1) return file
  const folder = longestFolders.findIndex((longest) => moduleId.startsWith(`${path.join(root, longest)}/`))
  return longestFiles.length + (folder === -1 ? longestFolders.length : folder)
}

/**
 * Starts `longestFiles` first, then the files in `longestFolders`, folder by folder. Keeps Vitest's order within a
 * folder and among all other files.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
