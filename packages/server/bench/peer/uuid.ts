import { randomUUID } from "node:crypto"

/** A UUIDv7: ids that grow with time keep an index's new entries on one page. */
export const uuidV7 = (): string => {
  const time = Date.now().toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
