import { expect, it } from "vitest"
import { closingLine, countReport, errorsOutsideTests, filesToRunAgain, type Report } from "../../scripts/report.ts"

const report: Report = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [{ name: "/refund.test.ts", status: "passed", assertionResults: [{ status: "passed" }] }]
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
  const unloadable = { name: "/refund.test.ts", status: "failed", assertionResults: [] }
  expect(countReport({ ...report, testResults: [unloadable, unloadable] }, false).failed).toBe(2)
  expect(countReport(report, false).failed).toBe(1)
})

it("closes with a plain line", () => {
  expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed")
  expect(closingLine({ passed: 12, failed: 1, skipped: 2 })).toBe("12 passed, 1 failed, 2 skipped")
})

const failing = (name: string, message: string) => ({
  name,
  status: "failed",
  assertionResults: [{ status: "passed" }, { status: "failed", failureMessages: [message] }]
})

const again = (...testResults: Report["testResults"]) => filesToRunAgain({ ...report, testResults }, 0)

it("runs the few files again that failed, and no others", () => {
  const timedOut = failing("/server/outage.test.ts", "Error: Test timed out in 120000ms.")
  expect(again(...report.testResults, timedOut)).toEqual(["/server/outage.test.ts"])
  expect(again(timedOut, timedOut, timedOut, timedOut)).toEqual([])
})

it("takes a finding of chance at its first word", () => {
  const wrong = "AssertionError: expected 2 to be 1"
  expect(again(failing("/core/chain.test.ts", "Error: Property falsified after 42 run(s)"))).toEqual([])
  expect(again(failing("/webhooks/simulation.test.ts", wrong))).toEqual([])
  expect(again(failing("/load/Histories.test.ts", wrong))).toEqual([])
  expect(again(failing("/load/HookKills.test.ts", wrong))).toEqual([])
  expect(again(failing("/postgres/archiveRaces.test.ts", wrong), failing("/a.test.ts", wrong))).toEqual([])
})

it("does not run again what failed outside of every test", () => {
  expect(again({ name: "/a.test.ts", status: "failed", assertionResults: [] })).toEqual([])
  expect(again({ name: "/a.test.ts", status: "failed", assertionResults: [{ status: "passed" }] })).toEqual([])
  expect(again(...report.testResults)).toEqual([])
})

it("does not run again what failed beside an error outside of every test", () => {
  const testResults = [failing("/server/outage.test.ts", "Error: Test timed out in 120000ms.")]
  expect(filesToRunAgain({ ...report, testResults }, 1)).toEqual([])
})

it("reads the number of errors outside of every test, and takes no report without it", () => {
  const suite = '<testsuite name="tests/a.test.ts" tests="2" failures="1" errors="0" skipped="0" time="0.05">'
  const of = (root: string) => errorsOutsideTests(`<?xml version="1.0" encoding="UTF-8" ?>\n${root}\n    ${suite}`)
  expect(of('<testsuites name="vitest tests" tests="3" failures="1" errors="2" time="0.05">')).toBe(2)
  expect(() => of('<testsuites name="vitest tests" tests="3">')).toThrow("states no number of errors")
})
