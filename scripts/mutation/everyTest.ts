import { beforeEach } from "vitest"

/**
 * Stryker notes the test in which each place runs, and tries a change of the place on those tests alone. Without a
 * test's name it assumes that the place runs while a module is loaded, and tries a change on every test.
 */
beforeEach(() => {
  const stryker: { currentTestId?: string | undefined } = Reflect.get(globalThis, "__stryker__") ?? {}
  stryker.currentTestId = undefined
})
