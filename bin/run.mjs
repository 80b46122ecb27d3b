// Runs a TypeScript program of this checkout: `node bin/run.mjs tests/sync-property/syncProperty.ts --steps 100`. The
// program exports `main(args, root): Promise<number>`, which returns the exit code.
import { basename } from 'node:path'
import './suppressDeprecationWarning.mjs'
import { bundle, ensureDependencies, ensureServer, requireNode, root } from './setup.mjs'

requireNode()
await ensureDependencies()
await ensureServer()
const [file = '', ...args] = process.argv.slice(2)
const name = `${basename(file, '.ts')}-${process.pid}`
const { rm } = await import('node:fs/promises')
const address = await bundle(file, 'dist/tools', name)
try {
  const { main } = await import(address)
  process.exitCode = await main(args, root)
} finally {
  await rm(new URL(address), { force: true })
  await rm(new URL(`${address}.map`), { force: true })
}
