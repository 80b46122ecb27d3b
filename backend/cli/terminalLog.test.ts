import { beforeEach, expect, it } from 'vitest'
import type { Logger } from '../logging/logger.ts'
import { createTerminalLog } from './terminalLog.ts'

let lines: string[] = []
let time = 0
beforeEach(() => {
  lines = []
  time = 0
})

const create = (showChanges = false): Logger =>
  createTerminalLog({
    print: (line) => lines.push(line),
    showChanges,
    commandLine: (words) => `linnet ${words} --data /demo`,
    now: () => time,
  })

it('prints warnings and errors in words, and no requests', () => {
  const log = create()
  log.info('gateway.request', { path: '/rest/v1/rows', status: 200 })
  log.warn('server.config_warning', { reason: 'Unknown keys: api.prot.' })
  log.error('postgres.exited')
  log.error('postgres.start_failed', { reason: 'The disk is full.', retryMs: 4_000 })
  log.warn('storage.bytes_missing', { id: 'f1', reason: undefined })
  log.warn('server.health_problem', { code: 'disk.low', reason: 'Disk space: The disk is almost full.' })
  log.warn('cron.run_failed', { job: 7, reason: 'division\nby zero', requestId: 'r1' })
  // The text after the start states it.
  log.warn('server.outgoing_paused', { reason: 'these data were restored from a backup' })
  log.warn('functions.output', { function: 'hello', stream: 'stderr', line: 'oh\u001b[2J' })
  expect(lines).toEqual([
    'Warning: Unknown keys: api.prot.',
    'Error: PostgreSQL has ended unexpectedly. Linnet starts it again.',
    'Error: PostgreSQL could not be started: The disk is full. Linnet tries again in 4 s.',
    'Warning: Files: bytes missing (id f1)',
    'Warning: Disk space: The disk is almost full. "linnet doctor --data /demo" shows what to do.',
    'Warning: Scheduled jobs: run failed (job 7): division by zero',
    String.raw`Warning: Function hello: oh\u001b[2J`,
  ])
})

it("omits PostgreSQL's errors about single statements, which their callers receive", () => {
  const log = create()
  log.warn('postgres.output', { line: 'ERROR:  permission denied for table rows' })
  log.warn('postgres.output', { line: 'WARNING:  there is no transaction in progress' })
  expect(lines).toEqual(['Warning: PostgreSQL: WARNING:  there is no transaction in progress'])
})

it('prints the same line once an hour, with the number of occurrences', () => {
  const log = create()
  for (let n = 0; n < 50; n++) log.warn('auth.mail_failed', { reason: 'connection refused' })
  time += 59 * 60_000
  log.warn('auth.mail_failed', { reason: 'connection refused' })
  time += 60_000
  log.warn('auth.mail_failed', { reason: 'connection refused' })
  const line = 'Warning: A mail could not be sent: connection refused'
  expect(lines).toEqual([line, `${line} (51 times in the last hour)`])
})

it('prints at most 20 lines a minute, the last of which names the command that shows all', () => {
  const log = create()
  for (let n = 0; n < 500; n++) log.warn('auth.mail_failed', { reason: `${n}` })
  expect(lines).toHaveLength(20)
  expect(lines.at(-1)).toBe('There are more events: "linnet logs -f --data /demo" shows all events.')
  time += 60_000
  log.warn('auth.mail_failed', { reason: 'later' })
  expect(lines).toHaveLength(21)
})

it('prints applied migrations and the output of functions while a person changes the project', () => {
  const log = create(true)
  log.info('schema.migration_applied', { file: '1_a.sql' })
  log.info('functions.output', { function: 'hello', stream: 'stdout', line: 'hi' })
  log.info('functions.output', { function: 'hello', stream: 'stdout', line: 'hi' })
  log.info('gateway.request', {})
  expect(lines).toEqual([
    'Database schema: migration applied (file 1_a.sql)',
    'Function hello: hi',
    'Function hello: hi',
  ])
})

it('names the command that prints a stored mail, and does not print the mail', () => {
  const log = create()
  log.info('auth.mail_stored', { to: 'ann@example.org\u001b[2J', subject: 'Your code' })
  log.info('auth.mail_stored', { to: 'bea@example.org', subject: 'Your code' })
  expect(lines).toEqual([
    String.raw`A mail to ann@example.org\u001b[2J is in the mailbox. "linnet mailbox --data /demo" prints it.`,
    'A mail to bea@example.org is in the mailbox. "linnet mailbox --data /demo" prints it.',
  ])
})
