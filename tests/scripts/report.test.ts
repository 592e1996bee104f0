import { expect, it } from "vitest"
import { closingLine, countReport, type Report } from "../../scripts/report.ts"

const report: Report = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [{ status: "passed", assertionResults: [{}, {}, {}] }]
}

it("counts what passed, failed and was skipped", () => {
  expect(countReport(report, true)).toEqual({ passed: 3, failed: 0, skipped: 0 })
  expect(countReport({ ...report, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 }, false)).toEqual({
    passed: 3,
    failed: 2,
    skipped: 2
  })
})

it("counts a file that could not be loaded, and a run that failed without a failing test", () => {
  const unloadable = { status: "failed", assertionResults: [] }
  expect(countReport({ ...report, testResults: [unloadable, unloadable] }, false).failed).toBe(2)
  expect(countReport(report, false).failed).toBe(1)
})

it("closes with a plain line", () => {
  expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed")
  expect(closingLine({ passed: 12, failed: 1, skipped: 2 })).toBe("12 passed, 1 failed, 2 skipped")
})
