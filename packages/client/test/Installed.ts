import { installedPackage } from "../../../tests/installed/InstalledPackage.js"

export const { directory: packageDirectory, ensureBuilt, installInto } = installedPackage("client")
