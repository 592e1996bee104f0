/** A name of the interface as it is typed in a shell: `changeStatus` is `change-status`. */
export const commandWord = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
