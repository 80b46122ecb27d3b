import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from '../../../backend/cli/linnet.ts'

let folder: string
let dataDir: string
let output: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'linnet-doctor-'))
  // As root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755)
  dataDir = join(folder, 'data')
  output = ''
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      output += String(text)
      return true
    })
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

/** Runs `linnet doctor` on the data folder of this test, and returns its exit code. */
async function runDoctor(...options: string[]): Promise<number> {
  output = ''
  return runCommand(['doctor', '--data', dataDir, '--supabase', join(folder, 'supabase'), ...options], folder)
}

it('names each problem of a broken installation, and repairs what is safe', async () => {
  const occupied = createServer()
  await new Promise<void>((resolve) => {
    occupied.listen(0, '127.0.0.1', resolve)
  })
  const { port } = occupied.address() as AddressInfo
  try {
    mkdirSync(join(folder, 'supabase', 'migrations'), { recursive: true })
    writeFileSync(join(folder, 'supabase', 'config.toml'), `[api]\nport = ${port}\n`)
    mkdirSync(join(dataDir, 'postgres'), { recursive: true, mode: 0o755 })
    chmodSync(join(dataDir, 'postgres'), 0o755)
    mkdirSync(join(dataDir, 'backups', '2026-11-30.partial'), { recursive: true })
    writeFileSync(join(dataDir, 'secrets.json'), '{', { mode: 0o644 })
    writeFileSync(join(dataDir, 'running.json'), '{"url": ', { mode: 0o600 })
    writeFileSync(join(dataDir, 'linnet.lock'), 'damaged', { mode: 0o600 })

    expect(await runDoctor()).toBe(1)
    for (const text of [
      'The server is not running.',
      `Port ${port} is in use by another program.`,
      'A file with keys or passwords of this installation is damaged.',
      'The folder of PostgreSQL lacks files that it needs to start.',
      'PG_VERSION is missing.',
      'secrets.json must have the mode 600.',
      'left over from interrupted work',
    ])
      expect(output.replaceAll(/\s+/g, ' ')).toContain(text)

    expect(await runDoctor('--repair', '-o', 'json')).toBe(1)
    expect(output).toContain(`chmod 600 ${join(dataDir, 'secrets.json')}`)
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700)
    for (const name of ['linnet.lock', 'running.json', 'backups/2026-11-30.partial'])
      expect([name, existsSync(join(dataDir, name))]).toEqual([name, false])
    const { findings } = JSON.parse(output.slice(output.indexOf('\n{') + 1)) as {
      findings: { code: string; state: string }[]
    }
    expect(findings.filter(({ state }) => state === 'problem').map(({ code }) => code)).toEqual([
      'secrets.damaged',
      'postgres.damaged',
      'port.taken',
    ])
  } finally {
    occupied.close()
  }
})

it('states where a settings file is wrong, and still checks everything else', async () => {
  mkdirSync(join(folder, 'supabase', 'migrations'), { recursive: true })
  mkdirSync(dataDir)
  writeFileSync(join(folder, 'supabase', 'config.toml'), '[api\n')
  expect(await runDoctor()).toBe(1)
  expect(output.replaceAll(/\s+/g, ' ')).toMatch(/config\.toml can't be read: line 1, column \d+/)
  expect(output).toContain('Disk space')
})
