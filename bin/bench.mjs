// `npm run bench [-- PART…] [OPTIONS]`: measures parts of Linnet; `npm run bench -- --help` lists them. Each part prints its
// table; with --json, one line contains all of them, and the last line the summaries of parts that have one.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseBenchArguments } from './benchArguments.mjs'
import { ensureApp, ensureDependencies, fail, requireNode, root } from './setup.mjs'
import { ensureNodes } from './testPrograms.mjs'

const startedAt = Date.now()
const { names, options, help, error } = parseBenchArguments(process.argv.slice(2))
if (error !== undefined) fail(`${error}\n\n${help}`)
if (help !== undefined) {
  process.stdout.write(`${help}\n`)
  process.exit()
}
requireNode()
await ensureDependencies()
await ensureApp()
// The attacks hit the server in the newest supported Node; no other part needs one.
const newestNode = names.includes('abuse') ? (ensureNodes().at(-1)?.node ?? null) : null
const child = spawn(
  process.execPath,
  [join(root, 'bin/run.mjs'), 'bench/bench.ts', names.join(','), ...options],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      LINNET_BENCH_STARTED_AT: String(startedAt),
      ...(newestNode !== null && { LINNET_NEWEST_NODE: newestNode }),
    },
  },
)
// A terminal interrupts the child too; SIGTERM reaches this process alone.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
