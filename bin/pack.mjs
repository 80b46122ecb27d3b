// Builds the package that `npx linnet` runs: `npm run pack [-- DIR]` writes linnet-<version>.tgz to `dist/` or to DIR.
import { join, resolve } from 'node:path'
import { ensureDependencies, print, requireNode, root } from './setup.mjs'

requireNode()
await ensureDependencies()
const { createPackage } = await import('./pack/createPackage.mjs')
const [outDir = join(root, 'dist')] = process.argv.slice(2)
const { file, size, unpackedSize } = await createPackage(resolve(outDir))
const inMiB = (/** @type {number} */ bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
print(`The package has ${inMiB(size)}, ${inMiB(unpackedSize)} unpacked, without its dependencies.`)
process.stdout.write(`${file}\n`)
