/**
 * Compares a secret with a presented value, in time that depends only on the length of `expected`. Use it to compare
 * any token or proof.
 */
export const sameText = (expected: string, presented: string): boolean => {
  let difference = expected.length ^ presented.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ presented.charCodeAt(index)
  }
  return difference === 0
}
