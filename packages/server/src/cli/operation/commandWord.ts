/** Converts an API name to a command-line word: `changeStatus` becomes `change-status`. */
export const commandWord = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
