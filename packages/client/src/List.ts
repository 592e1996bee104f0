import { SuretyError } from "./SuretyError.js"

/** A page as the service returns it. */
interface Part<T> {
  readonly data: ReadonlyArray<T>
  readonly nextCursor?: string
}

/** A page of a list, with access to the next page. */
export interface Page<T> extends Part<T> {
  /**
   * Reads the next page. Absent on the last page. The last page of a polled list (events in `oldest` order) may still
   * have a `nextCursor`.
   */
  readonly next?: () => Promise<Page<T>>
}

/**
 * A list that requests its first page immediately, and further pages as needed. `for await (const record of list)`
 * iterates over all records. `await list` returns the first page.
 */
export interface List<T> extends Promise<Page<T>>, AsyncIterable<T> {
  /** Iterates over pages instead of records, starting with the first page. */
  readonly pages: () => AsyncIterable<Page<T>>
  /** Returns up to `most` records from the start. The bound is required, since a list may not fit in memory. */
  readonly take: (most: number) => Promise<ReadonlyArray<T>>
}

/**
 * State of Brent's algorithm, which detects cycles of cursors. It remembers one cursor and replaces it after 2, 4, 8,
 * … further pages.
 */
interface Trail {
  readonly mark: string | undefined
  readonly pages: number
  readonly untilNextMark: number
}

const start: Trail = { mark: undefined, pages: 0, untilNextMark: 1 }

const follow = ({ mark, pages, untilNextMark }: Trail, cursor: string): Trail => {
  if (cursor === mark) throw new SuretyError("The list is circular: a page's cursor leads back to an earlier page.")
  return pages + 1 < untilNextMark
    ? { mark, pages: pages + 1, untilNextMark }
    : { mark: cursor, pages: 0, untilNextMark: untilNextMark * 2 }
}

const pageOf = <T>(
  { data, nextCursor }: Part<T>,
  read: (cursor: string) => Promise<Part<T>>,
  trail: Trail,
  asked?: string
): Page<T> => {
  if (nextCursor === undefined) return { data }
  // The current end of a polled list: the cursor stays the same until something is added.
  if (data.length === 0 && nextCursor === asked) return { data, nextCursor }
  const further = follow(trail, nextCursor)
  return { data, nextCursor, next: async () => pageOf(await read(nextCursor), read, further, nextCursor) }
}

/** Builds a list from its first page, which may still be loading. `read` loads further pages. */
export const listOf = <T>(first: Promise<Part<T>>, read: (cursor: string) => Promise<Part<T>>): List<T> => {
  const firstPage = first.then((part) => pageOf(part, read, start))
  // Awaiting or iterating the list reports a failure. Without this handler, an unused list would cause an unhandled
  // rejection.
  firstPage.catch(() => {})
  async function* pages(): AsyncGenerator<Page<T>, void> {
    let page: Page<T> | undefined = await firstPage
    while (page !== undefined) {
      yield page
      page = await page.next?.()
    }
  }
  async function* records(): AsyncGenerator<T, void> {
    for await (const { data } of pages()) yield* data
  }
  const take = async (most: number): Promise<ReadonlyArray<T>> => {
    const taken: Array<T> = []
    if (most <= 0) return taken
    for await (const record of records()) if (taken.push(record) >= most) break
    return taken
  }
  return Object.assign(firstPage, { pages, take, [Symbol.asyncIterator]: records })
}
