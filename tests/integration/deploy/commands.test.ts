import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { runCommand } from '../../../backend/cli/linnet.ts'

const dir = mkdtempSync(join(tmpdir(), 'linnet-commands-'))
afterAll(() => rmSync(dir, { recursive: true }))
/** A fake checkout with a built application. */
const root = join(dir, 'root')
mkdirSync(join(root, 'dist/app/assets'), { recursive: true })
mkdirSync(join(root, 'supabase'))
writeFileSync(join(root, 'dist/app/index.html'), '<!doctype html>')
writeFileSync(join(root, 'dist/app/assets/app.js'), '')

afterEach(() => vi.restoreAllMocks())

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((out += String(text))))
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((err += String(text))))
  const code = await runCommand(argv, root)
  vi.restoreAllMocks()
  return { code, out, err }
}

const site = ['--site', 'https://chat.example', '--url', 'https://ref.supabase.co']

it('writes a directory for a static host, and overwrites it', async () => {
  const out = join(dir, 'site')
  for (const key of ['sb_publishable_a', 'sb_publishable_b']) {
    expect(await run('build', '--out', out, ...site, '--key', key)).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(readFileSync(join(out, 'linnet.json'), 'utf8'))).toEqual({
      url: 'https://ref.supabase.co',
      key,
      installation: 'linnet',
    })
  }
  expect(readFileSync(join(out, 'index.html'), 'utf8')).toBe('<!doctype html>')
  expect(readFileSync(join(out, '_headers'), 'utf8')).toMatch(
    /^\/\*\n {2}content-security-policy: .* https:\/\/ref\.supabase\.co wss:\/\/ref\.supabase\.co;/,
  )
  expect(readFileSync(join(out, '_headers'), 'utf8')).toContain(
    '/service-worker.js\n  cache-control: no-cache\n',
  )
  expect(readFileSync(join(out, '_redirects'), 'utf8')).toBe('/w/* /web.html 200\n/* /index.html 200\n')
})

it('refuses secret keys and directories with other files', async () => {
  const serviceRole = `h.${Buffer.from('{"role":"service_role"}').toString('base64url')}.s`
  for (const key of ['sb_secret_x', serviceRole]) {
    const out = join(dir, 'secret')
    const result = await run('build', '--out', out, ...site, '--key', key)
    expect(result).toMatchObject({ code: 1, out: '' })
    expect(result.err).toContain('--key is a secret key')
    expect(result.err).not.toContain(key)
    expect(existsSync(out)).toBe(false)
  }
  const result = await run('build', '--out', root, ...site, '--key', 'sb_publishable_a')
  expect(result).toMatchObject({ code: 1, err: expect.stringContaining('contains other files') })
  expect(existsSync(join(root, 'linnet.json'))).toBe(false)
  expect((await run('build', '--out', join(dir, 'other'))).err).toContain('needs --url, --key and --site')
})

it('exits with 0 or 1, and prints text or JSON', async () => {
  const server = createServer((incoming, outgoing) => {
    outgoing.setHeader('content-type', 'application/json')
    if (incoming.url === '/auth/v1/settings') outgoing.end('{"disable_signup": false}')
    else outgoing.writeHead(404).end('{"message": "The schema must be one of the following: public"}')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const target = [
    '--supabase',
    join(root, 'supabase'),
    '--url',
    url,
    '--db-url',
    'postgresql://postgres:hush@127.0.0.1:1/postgres',
    '--key',
    'k',
  ]
  const result = await run('deploy', '--check', ...target)
  expect(result.code).toBe(1)
  expect(result.out).toMatch(
    /^One thing is missing or wrong:\n- Can't connect to the database: .*ECONNREFUSED/,
  )
  expect(result.out).toContain('Not checked:')
  const { code, out } = await run('deploy', '--check', '--json', ...target)
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ ok: false, missing: [{ about: 'database' }] })
  expect(result.out + out).not.toContain('hush')
  server.close()
  expect((await run('deploy')).err).toContain('Use --check')
  expect((await run('deploy', '--check', '--url', 'https://x.example/path', '--db-url', 'x')).err).toContain(
    '--url must be',
  )
  expect((await run('deploy', '--check', '--url', 'https://x.example')).err).toContain('needs --db-url')
})
