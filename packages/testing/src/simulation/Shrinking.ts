import { type Story, type Told, tell } from "./Simulation.js"
import type { SimulatedParts } from "./world/Cluster.js"

/** The shortest story found that violates the same invariant as the original, or the original if it violates none. */
export interface ShortStory {
  readonly story: Story
  readonly told: Told
  readonly tries: number
}

const mostTries = 400

/**
 * Removes faults, acts, and calls within acts from a story while it still violates the same invariant. First tries the
 * story with `isFaultless`. Then removes large parts, and then ever smaller ones. The remaining acts and calls draw the
 * same random numbers as in `story`, since each has its own generator.
 */
export const shrink = (story: Story, parts: SimulatedParts = {}): ShortStory => {
  let tries = 1
  let best = story
  let told = tell(story, parts)
  const invariant = told.violation?.invariant
  if (invariant === undefined) return { story, told, tries }

  const attempt = (candidate: Story): boolean => {
    tries += 1
    const again = tell(candidate, parts)
    if (again.violation?.invariant !== invariant) return false
    best = candidate
    told = again
    return true
  }

  /** Removes as many of `labels` as it can. Returns true if it removed any. */
  const without = (labels: ReadonlyArray<string>): boolean => {
    let isShorter = false
    let left = labels
    for (let size = Math.max(1, Math.ceil(left.length / 2)); left.length > 0; size = Math.ceil(size / 2)) {
      for (let start = left.length - size; start > -size && tries < mostTries; start -= size) {
        const part = left.slice(Math.max(0, start), start + size)
        if (part.length === 0 || !attempt({ ...best, calm: new Set([...best.calm, ...part]) })) continue
        left = left.filter((label) => !part.includes(label))
        isShorter = true
      }
      if (size === 1 || tries >= mostTries) break
    }
    return isShorter
  }

  attempt({ ...best, isFaultless: true })
  while (tries < mostTries) {
    const last = told.acts.at(-1)
    if (last !== undefined && Number(last.split(" ")[1]) < best.acts) {
      attempt({ ...best, acts: Number(last.split(" ")[1]) })
    }
    const isShorter = [without(told.acts), without(told.copies), without(told.mishaps)].includes(true)
    if (!isShorter) break
  }
  return { story: best, told: tell(best, parts, true), tries }
}

export const storyLinesOf = ({ lines, violation }: Told): ReadonlyArray<string> =>
  violation === undefined ? lines : [...lines, `${violation.invariant}: ${violation.detail}`]

/** Matches a line about a payment, a delivery or an endpoint. Such a line is usually background. */
const background = /^\S+(?: \d\S+)? {2}((?:payment|delivery|endpoint) \d+): /u

/**
 * Like `storyLinesOf`, but omits lines about payments, deliveries and endpoints that no other kind of line mentions.
 * Every story begins with payments, whose webhooks are sent during the acts. If the violation mentions a delivery, an
 * event, an endpoint or a webhook, keeps all lines.
 */
export const shortLinesOf = (told: Told): ReadonlyArray<string> => {
  const lines = storyLinesOf(told)
  if (/\b(?:delivery|event|endpoint|webhook)/u.test(told.violation?.detail ?? "")) return lines
  const others = lines.filter((line) => !background.test(line)).join("\n")
  return lines.filter((line) => {
    const name = background.exec(line)?.[1]
    return name === undefined || new RegExp(`\\b${name}\\b`, "u").test(others)
  })
}
