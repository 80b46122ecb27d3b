import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openMailbox, type Mailbox } from '../auth/mail/mailbox/mailbox.ts'
import { createLogger } from '../logging/logger.ts'
import { pidNamespace, processIdentity } from '../postgres/server/processIdentity.ts'
import { writeRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { runCommand } from './linnet.ts'

let dataDir = ''
let output = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-mailbox-'))
  output = ''
  const write = (text: unknown): true => {
    output += String(text)
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(write)
  vi.spyOn(process.stderr, 'write').mockImplementation(write)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dataDir, { recursive: true })
})

/** Writes the state of a running server with a mailbox. */
function openServer(mailbox: string | null): Mailbox {
  writeRunningServer(dataDir, {
    url: 'http://127.0.0.1:4280',
    mailbox,
    pids: { server: process.pid, db: process.pid },
  } as RunningServer)
  const identity = processIdentity(process.pid)
  const holder = { pid: process.pid, identity, host: hostname(), space: pidNamespace(), since: '', url: null }
  writeFileSync(join(dataDir, 'linnet.lock'), JSON.stringify(holder))
  return openMailbox(dataDir, createLogger({ format: 'json', minLevel: 'error', write: () => {} }))
}
const run = (...args: string[]): Promise<number> =>
  runCommand(['mailbox', '--data', dataDir, ...args], '/nowhere')

it('prints the last mails with their codes and links, the newest at the end', async () => {
  const mailbox = openServer('http://127.0.0.1:4280/mailbox/secret')
  const mail = { subject: 'Your code', html: '', text: 'Hi', link: 'http://192.0.2.1/verify?token=x' }
  for (const code of ['111111', '222222', '333333'])
    mailbox.add(`${code}\u001b[2J@example.org`, { ...mail, code })
  mailbox.add('ann@example.org', { ...mail, subject: 'Password changed', link: null, code: null })
  expect(await run('-n', '3')).toBe(0)
  expect(output.replaceAll(/^\d.*?\)/gm, 'TIME').split('\n')).toEqual([
    String.raw`TIME  To 222222\u001b[2J@example.org: Your code`,
    '  Code: 222222',
    '  Link: http://192.0.2.1/verify?token=x',
    String.raw`TIME  To 333333\u001b[2J@example.org: Your code`,
    '  Code: 333333',
    '  Link: http://192.0.2.1/verify?token=x',
    'TIME  To ann@example.org: Password changed',
    '  Hi',
    '',
  ])
})

it.each(['0', '201', 'x'])('refuses --lines %s', async (lines) => {
  openServer('http://127.0.0.1:4280/mailbox/secret')
  expect(await run('--lines', lines)).toBe(1)
  expect(output).toContain('--lines must be a whole number from 1 to 200')
})

it('does not print old codes once a mail server is set up', async () => {
  openServer(null).add('a@b.c', { subject: 'Hi', html: '', text: '', link: null, code: '123456' })
  expect(await run()).toBe(1)
  expect(output).toBe('This server sends its mails, so it has no mailbox.\n')
})

it('reports an empty mailbox and a file that it cannot read', async () => {
  openServer('http://127.0.0.1:4280/mailbox/secret')
  expect(await run()).toBe(0)
  expect(output).toContain('The mailbox is empty.')
  output = ''
  writeFileSync(join(dataDir, 'mailbox.json'), '{')
  expect(await run()).toBe(1)
  expect(output).toContain('is damaged')
})
