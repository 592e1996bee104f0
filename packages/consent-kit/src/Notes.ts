/**
 * Messages between the return page and the waiting page. The return page says that the person is back, and nothing of
 * their decision.
 */
export type NoteKind = "returned" | "heard"

const channelName = "@surety/consent-kit"

/**
 * The channel between the two pages. A browser hands a channel's messages to pages of the same origin only, so no other
 * site can send or read one; and it reaches a page that `Cross-Origin-Opener-Policy` has parted from its opener, as the
 * consent page does. Undefined in a browser without channels, or in a frame that has no origin.
 */
export const openChannel = (): BroadcastChannel | undefined => {
  try {
    return new BroadcastChannel(channelName)
  } catch {
    return undefined
  }
}

/** Calls `heard` for each note of that kind about that state. */
export const onNote = (
  channel: BroadcastChannel | undefined,
  kind: NoteKind,
  state: string,
  heard: () => void
): void => {
  channel?.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (Array.isArray(data) && data.length === 2 && data[0] === kind && data[1] === state) heard()
  })
}

/** Sends a note about that state. */
export const note = (channel: BroadcastChannel | undefined, kind: NoteKind, state: string): void =>
  channel?.postMessage([kind, state])
