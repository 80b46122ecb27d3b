import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../logging/logger.ts'
import type { Certificate } from './createHttpServer.ts'
import { createCertificateWatcher, type CertificateWatcher } from './createCertificateWatcher.ts'

const dir = mkdtempSync(join(tmpdir(), 'linnet-certificate-'))
afterAll(() => rmSync(dir, { recursive: true }))

const files = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') }
const openssl = '/usr/bin/openssl'
let lines: string[] = []
const log = createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) })

/** Writes a certificate for `name` as certbot does: to a new file, then renamed. */
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

const create = (o: { publicUrl?: string; now?: () => number } = {}): CertificateWatcher =>
  createCertificateWatcher({ files, publicUrl: 'https://chat.example', log, ...o })

test('a renewed certificate is used, and an invalid one is not', (context) => {
  if (!hasOpenssl) return context.skip('making a certificate needs openssl')
  const watcher = create()
  const renewed: Certificate[] = []
  const check = (): void => watcher.check((next) => renewed.push(next))
  check()
  expect(renewed).toEqual([])

  // Between the two renames: the new certificate with the old key.
  issue('chat.example', 90, 'cert')
  lines = []
  check()
  check()
  expect(renewed).toEqual([])
  expect(lines.join('\n').match(/gateway\.certificate_rejected/g)).toHaveLength(1)

  issue('chat.example', 90)
  check()
  check()
  expect(renewed).toEqual([watcher.current])

  writeFileSync(files.keyFile, 'no key at all')
  check()
  rmSync(files.keyFile)
  check()
  expect(renewed).toHaveLength(1)
  expect(lines.join('\n')).not.toContain('PRIVATE KEY')
  expect(() => create()).toThrow(/--tls-key: .* can't be read \(ENOENT\)/)
  writeFileSync(files.keyFile, 'no key at all')
  expect(() => create()).toThrow("The TLS certificate or its key can't be used")
})

test('warns of an expiring certificate, and of another name', (context) => {
  if (!hasOpenssl) return context.skip('making a certificate needs openssl')
  issue('chat.example', 90)
  const warningsOf = (o: Parameters<typeof create>[0]): string => {
    lines = []
    create(o)
    return lines.join('\n')
  }
  expect(warningsOf({})).toBe('')
  expect(warningsOf({ publicUrl: 'https://other.example' })).toContain('gateway.certificate_host_mismatch')
  expect(warningsOf({ publicUrl: 'https://localhost:4280' })).toBe('')
  expect(warningsOf({ now: () => Date.now() + 80 * 86_400_000 })).toContain(
    'gateway.certificate_expires_soon',
  )
  expect(warningsOf({ now: () => Date.now() + 91 * 86_400_000 })).toContain('gateway.certificate_expired')
})

test('unreadable files are logged by the timer, and refused at the start', (context) => {
  if (!hasOpenssl) return context.skip('making a certificate needs openssl')
  issue('chat.example', 90)
  const watcher = create()
  // Fails like a folder without permission, also for root.
  rmSync(files.keyFile)
  symlinkSync(files.keyFile, files.keyFile)
  lines = []
  watcher.check(() => {})
  expect(lines.join('\n')).toMatch(/gateway\.certificate_rejected.*ELOOP/)
  expect(() => create()).toThrow(/^--tls-key: .* can't be read \(ELOOP\)/)
  rmSync(files.keyFile)
})
