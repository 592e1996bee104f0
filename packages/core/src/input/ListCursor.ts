import { Effect } from "effect"
import type { Page, PageRequest } from "../Page.js"

/** Identifies the list that a cursor belongs to by its name and owner. Filters are not part of it. */
export type ListKey = readonly [name: string, ...whose: ReadonlyArray<string | undefined>]

/** Paging parameters of a request. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export const defaultLimit = 20

const sealLength = 8

/** 32-bit FNV-1a. It only tells lists apart and is not a security measure: a forged cursor leads to an empty page. */
const sealOf = (key: ListKey, cursor: string): string => {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(JSON.stringify([...key.map((part) => part ?? ""), cursor]))) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(sealLength, "0")
}

/** Extracts the store's cursor from a cursor of this list, or returns undefined for any other. */
const opened = (key: ListKey, sent: string): string | undefined => {
  const cursor = sent.slice(sealLength)
  return sent.slice(0, sealLength) === sealOf(key, cursor) ? cursor : undefined
}

/**
 * Reads a page of a list by a cursor that this list issued, and fails with `foreign` for any other. A store returns an
 * empty page for an unknown cursor, which would be mistaken for the end of the list.
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
