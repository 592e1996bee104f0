import type { PackedPackage } from "./PackedPackage.js"

/** Returns the TypeScript blocks in a package's published README, from top to bottom. */
export const readmeBlocks = ({ read }: PackedPackage): ReadonlyArray<string> =>
  Array.from(
    read("README.md").matchAll(/^```ts(?: [a-z]+)?\n(?<code>.*?)^```$/gmsu),
    ({ groups }) => groups?.code ?? ""
  )
