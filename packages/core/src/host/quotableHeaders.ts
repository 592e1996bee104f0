/** Shorter parts are words, which other parts of a message may have too. */
const leastQuoted = 8

/** What a host's part may quote of a request's headers: each one, and the value of each single cookie. */
export const quotableHeaders = (headers: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.values(headers).flatMap((header) =>
    header === undefined ? [] : [header, ...header.split(/[;=,\s]+/u).filter((part) => part.length >= leastQuoted)]
  )
