/**
 * Compares a secret with a presented one in constant time, which depends only on the length of `expected`. Every
 * comparison of a token, proof or signature goes through here.
 */
export const sameText = (expected: string, presented: string): boolean => {
  let difference = expected.length ^ presented.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ presented.charCodeAt(index)
  }
  return difference === 0
}
