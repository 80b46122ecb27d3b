// `npm run bench [-- PART…] [--json]`: prints each part's table; with --json, one line contains all of them, and
// the last line the summaries of parts that have one. `npm run bench -- summary` prints the results of the last runs.
// With LINNET_BENCH_BEFORE, the folder of another checkout, the parts `page` and `send` compare with its server.
// The part `abuse` runs its server in the newest supported Node.
// With --big, the part `storage` measures memory with 5 GiB instead of 1.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureApp, ensureDependencies, requireNode, root } from './setup.mjs'
import { ensureNodes } from './testPrograms.mjs'

const startedAt = Date.now()
requireNode()
ensureDependencies()
await ensureApp()
const args = process.argv.slice(2)
const parts = args.filter((arg) => !arg.startsWith('--'))
const newestNode = parts.length === 0 || parts.includes('abuse') ? ensureNodes().at(-1).node : null
const child = spawn(process.execPath, [join(root, 'bin/run.mjs'), 'bench/bench.ts', ...args], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    LINNET_BENCH_STARTED_AT: String(startedAt),
    ...(newestNode !== null && { LINNET_NEWEST_NODE: newestNode }),
  },
})
// A terminal interrupts the child too; SIGTERM reaches this process alone.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
