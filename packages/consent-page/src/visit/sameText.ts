/** Whether two texts are the same, in a time that does not tell where they begin to differ. */
export const sameText = (expected: string, sent: string): boolean => {
  let difference = expected.length ^ sent.length
  for (let index = 0; index < expected.length; index++)
    difference |= expected.charCodeAt(index) ^ sent.charCodeAt(index)
  return difference === 0
}
