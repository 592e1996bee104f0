const opaqueTag = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Whether `If-None-Match` names the entity tag, or any (`*`), by weak comparison (RFC 9110, section 13.1.2). */
export const isNotModified = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => opaqueTag(tag) === etag))
