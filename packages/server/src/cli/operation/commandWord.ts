/** Converts a name of the interface for the command line: `changeStatus` becomes `change-status`. */
export const commandWord = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
