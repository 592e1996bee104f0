/** For a host's own tests. Nothing here belongs into a running service. */
export { createTestKit, type TestKit, type TestKitOptions } from "./testing/createTestKit.js"
export { type DirectoryUnderTest, directoryLaws } from "./testing/directoryLaws.js"
export type { Inbox } from "./testing/Inbox.js"
export type { KitClock } from "./testing/KitClock.js"
export { type BrokenLaw, LawsBroken } from "./testing/Laws.js"
export { type WalletUnderTest, walletLaws } from "./testing/walletLaws.js"
