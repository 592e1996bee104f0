import { assert } from "@effect/vitest"
import { loggableCause } from "@surety/core/host/loggableCause"

const mask = "<redacted>"

/**
 * Fails unless the log contains `said`, a host's error, with each of `values` masked, and no value anywhere unmasked.
 * The absence of a value alone proves little: an id generated at the test clock's start has a run of zeros long enough
 * to be masked because of its form, even if it is not named.
 */
export const assertMasked = (log: string, said: string, ...values: ReadonlyArray<string>): void => {
  for (const value of values) {
    assert.include(said, value, "the host's error names it")
    assert.notInclude(log, value)
    assert.notStrictEqual(loggableCause(value, []).message, mask, `${value} is masked by its form, without being named`)
  }
  assert.include(
    log,
    values.reduce((text, value) => text.replaceAll(value, mask), said)
  )
}
