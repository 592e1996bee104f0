import { beforeEach } from "vitest"

/**
 * Hides the current test from Stryker, which would otherwise try a change only on the tests that executed its location.
 * Without a test's name, Stryker assumes that the code ran during module loading, and tries the change on every test.
 */
beforeEach(() => {
  const stryker: { currentTestId?: string | undefined } = Reflect.get(globalThis, "__stryker__") ?? {}
  stryker.currentTestId = undefined
})
