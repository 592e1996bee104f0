import { assert } from "@effect/vitest"
import { loggableCause } from "@surety/core/host/loggableCause"

const mask = "<redacted>"

/**
 * Fails unless the log contains the host's error `said` with each of `values` masked, and no value unmasked.
 *
 * Also fails if a value would be masked completely because of its form alone, such as a seven-digit number. Masking by
 * form does not show that the log masks the values it is given.
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
