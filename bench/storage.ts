import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { startServer, temporaryData } from '../tests/support/server.ts'
import { openBareFiles } from './storage/bareFiles.ts'
import { downloads, memory, uploads } from './storage/largeFiles.ts'
import { firstBytes, objects } from './storage/smallObjects.ts'
import type { StorageBench } from './storage/StorageBench.ts'
import { openStorageLoader } from './storage/storageLoader.ts'
import { person, writeStorageProject } from './storage/storageProject.ts'
import type { BenchTable } from './table.ts'

const MiB = 1024 * 1024

/** Size of the file for the memory measurement; 5 GiB with `--big`. */
const huge = (): number => (process.argv.includes('--big') ? 5 * 1024 : 1024) * MiB

async function fill(path: string, content: number | Buffer): Promise<void> {
  if (typeof content !== 'number') return writeFile(path, content)
  const file = await open(path, 'w')
  const some = randomBytes(MiB)
  for (let left = content; left > 0; left -= MiB) await file.write(some, 0, Math.min(left, MiB))
  await file.close()
}

/**
 * Measures files. It compares the throughput of large files with a plain Node server on the same disk and with `cp`,
 * and of small files with raw pg. It also measures the memory for a file that is larger than memory. The goals are
 * 0.8 of the bare server in MB/s, and memory that does not depend on the size.
 */
export async function run(): Promise<BenchTable> {
  const root = process.cwd()
  const jwtSecret = randomBytes(48).toString('base64url')
  const token = await new SignJWT({ sub: person, role: 'authenticated', aud: 'authenticated' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1d')
    .sign(new TextEncoder().encode(jwtSecret))
  const data = temporaryData()
  const project = writeStorageProject()
  const dir = mkdtempSync(join(tmpdir(), 'linnet-bare-'))
  const loader = openStorageLoader(root)
  const bare = openBareFiles(root)
  const ending: (() => unknown)[] = [
    project.remove,
    data.remove,
    () => rmSync(dir, { recursive: true, force: true }),
    () => loader.close(),
    () => bare.close(),
  ]
  try {
    const server = await startServer({
      root,
      dataDir: data.dir,
      args: ['--no-app', '--db-port', '0', '--supabase', project.dir],
      env: { LINNET_JWT_SECRET: jwtSecret },
    })
    ending.push(() => server.end('SIGTERM'))
    const bench: StorageBench = {
      loader,
      server: {
        url: server.url,
        dbUrl: server.dbUrl,
        pid: server.pids.server,
        supabaseDir: project.dir,
        headers: { apikey: server.publishableKey, Authorization: `Bearer ${token}` },
      },
      bare: {
        url: `http://127.0.0.1:${await bare.run({ dir })}`,
        dir,
        fill: (name, content) => fill(join(dir, name), content),
      },
    }
    const rows = [...(await downloads(bench)), ...(await uploads(bench)), ...(await objects(bench))]
    rows.push(...(await firstBytes(bench)), ...(await memory(bench, huge())))
    return { name: 'storage', rows }
  } finally {
    for (const end of ending.reverse()) await end()
  }
}
