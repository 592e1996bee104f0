/** For a host's own tests. Nothing here belongs into a running service. */
export { createTestKit, type TestKit, type TestKitOptions } from "./testing/createTestKit.js"
export type { Inbox } from "./testing/Inbox.js"
export type { KitClock } from "./testing/KitClock.js"
