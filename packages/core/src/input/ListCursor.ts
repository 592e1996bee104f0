import { Effect } from "effect"
import type { Page, PageRequest } from "../Page.js"

/** A cursor's list: its name and its scope, such as merchant and environment, but not its filters. */
export type ListKey = readonly [name: string, ...whose: ReadonlyArray<string | undefined>]

/** Paging parameters. `limit` defaults to `defaultLimit`. `cursor` is the `nextCursor` of the previous page. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export const defaultLimit = 20

const sealLength = 8

/**
 * Returns a 32-bit FNV-1a hash that distinguishes lists. Not a security measure: with a forged cursor, a page merely
 * starts elsewhere in the list or is empty.
 */
const sealOf = (key: ListKey, cursor: string): string => {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(JSON.stringify([...key.map((part) => part ?? ""), cursor]))) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(sealLength, "0")
}

/** Extracts the store's cursor. Returns undefined unless the cursor was issued for this list. */
const opened = (key: ListKey, sent: string): string | undefined => {
  const cursor = sent.slice(sealLength)
  return sent.slice(0, sealLength) === sealOf(key, cursor) ? cursor : undefined
}

/**
 * Reads a page of a list. Fails with `foreign` if the cursor was not issued for this list. Without this check, a store
 * could return an empty page, which looks like the end of the list.
 */
export const readPageOr =
  <F>(foreign: F) =>
  <A, E, R>(
    key: ListKey,
    { cursor: sent, limit = defaultLimit }: PageQuery,
    read: (request: PageRequest) => Effect.Effect<Page<A>, E, R>
  ): Effect.Effect<Page<A>, E | F, R> => {
    const cursor = sent === undefined ? undefined : opened(key, sent)
    if (sent !== undefined && cursor === undefined) return Effect.fail(foreign)
    return Effect.map(read({ limit, cursor }), ({ data, nextCursor }) => ({
      data,
      nextCursor: nextCursor === undefined ? undefined : sealOf(key, nextCursor) + nextCursor
    }))
  }
