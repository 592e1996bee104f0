/**
 * Messages between the return page and the waiting page. `returned` reports that the person is back, never the
 * decision. `heard` confirms that the waiting page continues the flow.
 */
export type NoteKind = "returned" | "heard"

const channelName = "@surety/consent-kit"

/**
 * Opens the channel between the return page and the waiting page. A browser delivers a channel's messages only within
 * an origin, so no other site can send or read them. The channel works even though the consent page's
 * `Cross-Origin-Opener-Policy` cuts the link between the windows. Returns `undefined` if the browser has no
 * `BroadcastChannel`, or refuses it in a frame with an opaque origin.
 */
export const openChannel = (): BroadcastChannel | undefined => {
  try {
    return new BroadcastChannel(channelName)
  } catch {
    return undefined
  }
}

/** Calls `heard` for each note of `kind` about `state`. */
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

export const note = (channel: BroadcastChannel | undefined, kind: NoteKind, state: string): void =>
  channel?.postMessage([kind, state])
