// `npm run bench [-- PART…] [--json]`: prints each part's table; with --json, one line contains all of them, and
// the last line the summaries of parts that have one.
// The part `abuse` runs its server in the newest supported Node.
// With --big, the part `storage` measures memory with 5 GiB instead of 1.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureApp, ensureDependencies, ensureNodes, requireNode, root } from './setup.mjs'

const startedAt = Date.now()
requireNode()
ensureDependencies()
await ensureApp()
const args = process.argv.slice(2)
const parts = args.filter((arg) => !arg.startsWith('--'))
const newestNode = parts.length === 0 || parts.includes('abuse') ? ensureNodes().at(-1).node : null
const result = spawnSync(process.execPath, [join(root, 'bin/run.mjs'), 'bench/bench.ts', ...args], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    LINNET_BENCH_STARTED_AT: String(startedAt),
    ...(newestNode !== null && { LINNET_NEWEST_NODE: newestNode }),
  },
})
process.exitCode = result.status ?? 1
