// `npm run bench [-- PART…] [--json]`: prints each part's table; with --json a line holds them all, and
// the last line the summaries of parts that have one.
// --big has the part `storage` measure memory with 5 GiB instead of 1.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureApp, ensureDependencies, requireNode, root } from './setup.mjs'

requireNode()
ensureDependencies()
await ensureApp()
const result = spawnSync(
  process.execPath,
  [join(root, 'bin/run.mjs'), 'bench/bench.ts', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
  },
)
process.exitCode = result.status ?? 1
