const hex = (text: string): string => `%${(text.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`

const replaceAt = (text: string, at: number, by: string): string => text.slice(0, at) + by + text.slice(at + 1)

/**
 * Returns non-canonical forms of a path. A router, proxy or url parser may treat them as the same path, but a server
 * must not route them. `path` must start with a slash and end without one.
 */
export const spellingsOf = (path: string): ReadonlyArray<string> => {
  const last = path.length - 1
  const slash = path.lastIndexOf("/")
  const [, first = ""] = path.split("/")
  const encodedAt = (at: number): ReadonlyArray<string> => {
    const code = hex(path.charAt(at))
    return [replaceAt(path, at, code), replaceAt(path, at, code.toUpperCase())]
  }
  return [
    ...encodedAt(1),
    ...encodedAt(last),
    ...encodedAt(slash + 1),
    path.replace(/[A-Za-z]/gu, hex),
    replaceAt(path, slash, "%2f"),
    replaceAt(path, slash, "%2F"),
    `/${path}`,
    replaceAt(path, slash, "//"),
    `${path}/`,
    `${path}//`,
    `/.${path}`,
    replaceAt(path, slash, "/./"),
    `${path}/.`,
    `/x/..${path}`,
    replaceAt(path, slash, `/x/../`),
    `/${first}/..${path}`,
    replaceAt(path, slash, "/%2e/"),
    `${path}/%2E`,
    `${path}/x/..`,
    `${path}/x/%2e%2E`,
    `${path};`,
    `${path};a=b`,
    replaceAt(path, slash, ";x/"),
    `${path}#x`,
    replaceAt(path, slash, "\\"),
    `${path}%`,
    `${path}%zz`
  ]
}
