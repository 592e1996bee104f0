/** Returns a reproducible generator of whole numbers from 0 up to but excluding `n`. */
export const randomBelow = (seed: number) => {
  let state = seed
  return (n: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

export type RandomBelow = ReturnType<typeof randomBelow>
