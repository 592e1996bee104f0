/** A name of the interface in a shell: `changeStatus` becomes `change-status`. */
export const commandWord = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
