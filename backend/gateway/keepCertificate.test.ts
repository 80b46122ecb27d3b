import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../logging/log.ts'
import type { Certificate } from './createHttpServer.ts'
import { keepCertificate, type KeptCertificate } from './keepCertificate.ts'

const dir = mkdtempSync(join(tmpdir(), 'linnet-certificate-'))
afterAll(() => rmSync(dir, { recursive: true }))

const files = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') }
const openssl = '/usr/bin/openssl'
let lines: string[] = []
const log = createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) })

/** Puts a certificate for `name` in place as certbot does: beside, then renamed. */
function issue(name: string, days: number, only?: 'cert'): void {
  const make = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
  const into = ['-keyout', `${files.keyFile}.new`, '-out', `${files.certFile}.new`]
  const what = ['-days', String(days), '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  execFileSync(openssl, [...make.split(' '), ...what, ...into], { stdio: 'ignore' })
  renameSync(`${files.certFile}.new`, files.certFile)
  if (only === undefined) renameSync(`${files.keyFile}.new`, files.keyFile)
}

let hasOpenssl = true
beforeAll(() => {
  try {
    issue('chat.example', 90)
  } catch {
    hasOpenssl = false
  }
})

const keep = (o: { publicUrl?: string; now?: () => number } = {}): KeptCertificate =>
  keepCertificate({ files, publicUrl: 'https://chat.example', log, ...o })

test('a renewed certificate is handed on, a broken one is not, and the old one stays', (context) => {
  if (!hasOpenssl) return context.skip('making a certificate needs openssl')
  const kept = keep()
  const renewed: Certificate[] = []
  const look = (): void => kept.look((next) => renewed.push(next))
  look()
  expect(renewed).toEqual([])

  // The moment between the two files: a certificate whose key is still the old one.
  issue('chat.example', 90, 'cert')
  lines = []
  look()
  look()
  expect(renewed).toEqual([])
  expect(lines.join('\n').match(/the old one stays/g)).toHaveLength(1)

  issue('chat.example', 90)
  look()
  look()
  expect(renewed).toEqual([kept.current])

  writeFileSync(files.keyFile, 'no key at all')
  look()
  rmSync(files.keyFile)
  look()
  expect(renewed).toHaveLength(1)
  expect(lines.join('\n')).not.toContain('PRIVATE KEY')
  expect(() => keep()).toThrow(/--tls-key: .* can't be read \(ENOENT\)/)
  writeFileSync(files.keyFile, 'no key at all')
  expect(() => keep()).toThrow("The TLS certificate or its key can't be used")
})

test('says when it ends, and when it has another name', (context) => {
  if (!hasOpenssl) return context.skip('making a certificate needs openssl')
  issue('chat.example', 90)
  const said = (o: Parameters<typeof keep>[0]): string => {
    lines = []
    keep(o)
    return lines.join('\n')
  }
  expect(said({})).toBe('')
  expect(said({ publicUrl: 'https://other.example' })).toContain('does not name the public address')
  expect(said({ publicUrl: 'https://localhost:4280' })).toBe('')
  expect(said({ now: () => Date.now() + 80 * 86_400_000 })).toContain('ends soon')
  expect(said({ now: () => Date.now() + 91 * 86_400_000 })).toContain('has expired')
})

test('files that can not be looked at are logged in a timer, and are a sentence at the start', (context) => {
  if (!hasOpenssl) return context.skip('making a certificate needs openssl')
  issue('chat.example', 90)
  const kept = keep()
  // Fails as a folder without permission does, also for root.
  rmSync(files.keyFile)
  symlinkSync(files.keyFile, files.keyFile)
  lines = []
  kept.look(() => {})
  expect(lines.join('\n')).toMatch(/the old one stays.*ELOOP/)
  expect(() => keep()).toThrow(/^--tls-key: .* can't be read \(ELOOP\)/)
  rmSync(files.keyFile)
})
