/** How many tests there were, by how they ended. */
export interface Count {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What is read of the report that Vitest's own `json` reporter writes. */
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: ReadonlyArray<{ readonly status: string; readonly assertionResults: ReadonlyArray<unknown> }>
}

/**
 * Counts a run that ended with success or without. A file that cannot be loaded has no tests to fail, and an error
 * outside all tests fails none, so each counts as a failure.
 */
export const countReport = (report: Report, succeeded: boolean): Count => {
  const unloadable = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
  const failed = report.numFailedTests + unloadable.length
  return {
    passed: report.numPassedTests,
    failed: succeeded ? failed : Math.max(1, failed),
    skipped: report.numPendingTests + report.numTodoTests
  }
}

/** `12 passed, 0 failed`, and how many were skipped if any. */
export const closingLine = ({ passed, failed, skipped }: Count): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
