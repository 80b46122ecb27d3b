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

const acme = `[server]
public_url = "https://chat.example.org"
[tls]
acme = true
accept_terms = true
contact = "admin@example.org"
`

it('a certificate by ACME needs the usual ports on all addresses', () => {
  expect(read(acme)).toMatchObject({
    host: '0.0.0.0',
    port: 443,
    tls: null,
    acme: {
      host: 'chat.example.org',
      publicUrl: 'https://chat.example.org',
      directory: 'https://acme-v02.api.letsencrypt.org/directory',
      contact: 'admin@example.org',
      httpPort: 80,
    },
  })
  expect(read(acme, '--host', '::', '--port', '8443')).toMatchObject({ host: '::', port: 8443 })
  expect(read('', '--acme', '--public-url', 'https://chat.example.org')).toMatchObject({
    port: 443,
    acme: { host: 'chat.example.org', contact: null },
  })
  expect(read('[tls]\ncontact = "admin@example.org"\n')).toMatchObject({ port: 4280, acme: null })
})

it.each([
  [acme.replace('accept_terms = true', ''), /line 4: tls\.acme needs accept_terms = true/],
  [acme.replace('https:', 'http:'), /needs a public_url such as/],
  [acme.replace('chat.example.org', 'localhost'), /needs a public host name, and localhost is none/],
  [acme.replace('chat.example.org', '203.0.113.7'), /needs a public host name/],
  [acme.replace('chat.example.org', 'chat'), /needs a public host name/],
  [acme.replace('admin@example.org', 'admin'), /tls\.contact must be a mail address/],
  [`${acme}directory = "http://authority.example"\n`, /tls\.directory must be an https URL/],
  [`${acme}http_port = 0\n`, /tls\.http_port must be a whole number from 1 to 65535/],
  [
    acme.replace('[tls]', 'tls_cert = "a"\ntls_key = "b"\n[tls]'),
    /can't be combined with tls_cert and tls_key/,
  ],
])('a certificate by ACME names wrong settings: %#', (toml, problem) => {
  expect(() => read(toml)).toThrow(problem)
})
