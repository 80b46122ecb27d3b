import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLogger } from '../../../logging/logger.ts'
import { openMailbox } from './mailbox.ts'

const log = createLogger({ format: 'json', minLevel: 'error', write: () => {} })
const mail = { subject: 'Hi', html: '<p>Hi</p>', text: 'Hi', link: null, code: '123456' }
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-mailbox-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

it('stores mails and its token across restarts, readable only by its owner', () => {
  const first = openMailbox(dir, log)
  first.add('a@b.c', mail)
  first.add('d@e.f', mail)
  const second = openMailbox(dir, log)
  expect(second.token).toBe(first.token)
  expect(second.messages().map((message) => message.to)).toEqual(['d@e.f', 'a@b.c'])
  expect(statSync(join(dir, 'mailbox.json')).mode & 0o777).toBe(0o600)
})

it('stores the newest mails only', () => {
  const mailbox = openMailbox(null, log)
  for (let i = 0; i < 250; i++) mailbox.add(`${i}@x.example`, mail)
  expect(mailbox.messages()).toHaveLength(200)
  expect(mailbox.messages()[0]?.to).toBe('249@x.example')
})

it('starts empty if the file is corrupt', () => {
  writeFileSync(join(dir, 'mailbox.json'), '{"token":')
  const mailbox = openMailbox(dir, log)
  expect(mailbox.messages()).toEqual([])
  expect(JSON.parse(readFileSync(join(dir, 'mailbox.json'), 'utf8'))).toMatchObject({ token: mailbox.token })
})
