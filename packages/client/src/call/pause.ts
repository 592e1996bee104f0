export const pause = (millis: number, signal: AbortSignal | undefined): Promise<"passed" | "aborted"> =>
  new Promise((resolve) => {
    const end = (how: "passed" | "aborted") => (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
      resolve(how)
    }
    const onAbort = end("aborted")
    const timer = setTimeout(end("passed"), millis)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener("abort", onAbort)
  })
