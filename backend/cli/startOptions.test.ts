import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from '../config/loadConfig.ts'
import { parseCommandLine } from './linnet.ts'
import { readStartOptions } from './startOptions.ts'

let dir = ''
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'linnet-options-'))))
afterEach(() => rmSync(dir, { recursive: true }))

const read = (toml: string, ...args: string[]): ReturnType<typeof readStartOptions> => {
  writeFileSync(join(dir, 'linnet.toml'), toml)
  const { options } = parseCommandLine(['start', ...args])
  return readStartOptions(options as Parameters<typeof readStartOptions>[0], loadConfig('/nowhere', dir))
}

const server = `[server]
public_url = "https://a.example/"
host = "::"
port = 443
db_port = 5433
tls_cert = "cert.pem"
tls_key = "/etc/key.pem"
trusted_proxies = ["10.0.0.1"]
`

it('come from [server]; paths are relative to its file', () => {
  expect(read(server)).toMatchObject({
    publicUrl: 'https://a.example',
    host: '::',
    port: 443,
    dbPort: 5433,
    tls: { certFile: join(dir, 'cert.pem'), keyFile: '/etc/key.pem' },
    trustedProxies: ['10.0.0.1'],
  })
})

it('of the command line override [server]', () => {
  const args = '--public-url https://b.example --host 0.0.0.0 --port 0 --db-port 0 --trusted-proxy 10.0.0.2'
  const tls = '--tls-cert b.pem --tls-key b-key.pem'
  expect(read(server, ...args.split(' '), ...tls.split(' '))).toMatchObject({
    publicUrl: 'https://b.example',
    host: '0.0.0.0',
    port: 0,
    dbPort: 0,
    tls: { certFile: 'b.pem', keyFile: 'b-key.pem' },
    trustedProxies: ['10.0.0.2'],
  })
})

it('have defaults', () => {
  expect(read('')).toMatchObject({
    publicUrl: null,
    host: '127.0.0.1',
    port: 4280,
    dbPort: null,
    tls: null,
    trustedProxies: [],
  })
})
