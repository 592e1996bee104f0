import { assert } from "@effect/vitest"
import { loggableCause } from "@surety/core/host/loggableCause"

const mask = "<redacted>"

/**
 * Fails unless the log quotes `said`, a host's error, with each of the values masked as a whole, and has none of them elsewhere.
 * Absence alone proves little: an id of the test clock's first moment has so many zeros that it is masked for its look.
 */
export const assertMasked = (log: string, said: string, ...values: ReadonlyArray<string>): void => {
  for (const value of values) {
    assert.include(said, value, "the host's error names it")
    assert.notInclude(log, value)
    assert.notStrictEqual(loggableCause(value, []).message, mask, `${value} is masked for its look, whoever names it`)
  }
  assert.include(
    log,
    values.reduce((text, value) => text.replaceAll(value, mask), said)
  )
}
