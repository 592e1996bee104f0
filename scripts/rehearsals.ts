/**
 * Test files that rehearse what surrounds the code: packages installed by npm, pages at every size in a browser, killed servers
 * and databases, a cluster's failover, the laws once more in another setting. They take most of the suite's processor time, so
 * `npx pnpm test` leaves them out and says so. CI runs them for each submission, and `npx pnpm test --whole` runs them anywhere.
 */
export const rehearsals: ReadonlyArray<string> = [
  "packages/cells/test/law/laws.test.ts",
  "packages/consent-kit/test/inBrowser.test.ts",
  "packages/consent-page/test/Looks.test.ts",
  "packages/console/test/Looks.test.ts",
  "packages/postgres/test/event/deliveryClaims.test.ts",
  "packages/postgres/test/partition/laws.test.ts",
  "packages/server/test/Canary.test.ts",
  "packages/server/test/FirstStart.test.ts",
  "packages/server/test/GuidesInBrowser.test.ts",
  "packages/server/test/archive/archiveCommand.test.ts",
  "packages/server/test/cli/cli.test.ts",
  "packages/server/test/database/DatabaseOutage.test.ts",
  "packages/server/test/database/MissingDatabase.test.ts",
  "packages/server/test/database/SenderTakeover.test.ts",
  "packages/server/test/database/TransactionPooling.test.ts",
  "packages/server/test/deploy/highAvailability.test.ts",
  "packages/server/test/docs/merchants.test.ts",
  "packages/server/test/embedding/pages.test.ts",
  "packages/server/test/lists/listReads.test.ts",
  "packages/server/test/lists/scaledStore.test.ts",
  "packages/server/test/load/EndUnderLoad.test.ts",
  "packages/server/test/load/Flood.test.ts",
  "packages/server/test/load/Histories.test.ts",
  "packages/server/test/load/HookKills.test.ts",
  "packages/server/test/load/Hostile.test.ts",
  "packages/server/test/load/LoadAndHalfRequests.test.ts",
  "packages/server/test/load/UnreadAnswers.test.ts",
  "tests/installed/embed.test.ts",
  "tests/installed/hostProject.test.ts",
  "tests/installed/packages.test.ts",
  "tests/installed/treeShaking.test.ts"
]

/** What a run without them reports at its end. */
export const leftOutLine = `NOT TESTED (without --whole): the ${rehearsals.length} rehearsals of scripts/rehearsals.ts, which CI runs`
