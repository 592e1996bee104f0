import { assert } from "@effect/vitest"
import type { Page, PageRequest } from "@surety/core/Page"
import { Effect } from "effect"

type Fetch<A, E, R> = (request: PageRequest) => Effect.Effect<Page<A>, E, R>

/**
 * Reads the rows from `cursor` to the last page. Fails if a page exceeds its limit, or if a page before the last is not
 * full. Also fails if a cursor leads to an empty page or to itself.
 */
export const from = Effect.fnUntraced(function* <A, E, R>(
  fetch: Fetch<A, E, R>,
  limit: number,
  cursor: string | undefined
) {
  const rows: Array<A> = []
  let next = cursor
  do {
    const page: Page<A> = yield* fetch({ limit, cursor: next })
    assert.isAtMost(page.data.length, limit, "a page is not longer than its limit")
    if (next !== undefined) assert.isNotEmpty(page.data, "there is a cursor only where more is to come")
    if (page.nextCursor !== undefined) {
      assert.strictEqual(page.data.length, limit, "a page is full while more is to come")
      assert.notStrictEqual(page.nextCursor, next, "a page leads on")
    }
    rows.push(...page.data)
    next = page.nextCursor
  } while (next !== undefined)
  return rows
})

export const all = <A, E, R>(fetch: Fetch<A, E, R>, limit: number): Effect.Effect<ReadonlyArray<A>, E, R> =>
  from(fetch, limit, undefined)

/**
 * Reads a list in pages of two while `add` adds newer rows. Fails unless the pages contain the rows of `expected`, in
 * that order. Also fails if a row appears twice. Other rows may appear anywhere.
 */
export const expectNewestFirst = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  fetch: Fetch<A, E, R>,
  idOf: (row: A) => string,
  expected: ReadonlyArray<string>,
  add: Effect.Effect<unknown, E2, R2>
) {
  const isExpected = new Set(expected)
  const seen: Array<string> = []
  let cursor: string | undefined
  do {
    const page: Page<A> = yield* fetch({ limit: 2, cursor })
    assert.isAtMost(page.data.length, 2, "a page is not longer than its limit")
    seen.push(...page.data.map(idOf))
    cursor = page.nextCursor
    if (seen.length <= expected.length) yield* add
  } while (cursor !== undefined && seen.filter((id) => isExpected.has(id)).length < expected.length)
  assert.strictEqual(new Set(seen).size, seen.length, "no row is shown twice")
  assert.deepStrictEqual(
    seen.filter((id) => isExpected.has(id)),
    [...expected],
    "every row, newest first"
  )
})
