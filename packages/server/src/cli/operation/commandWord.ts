/** Converts a name in the API to a word of the command line: `changeStatus` becomes `change-status`. */
export const commandWord = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
