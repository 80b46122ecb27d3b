import { expect, it } from 'vitest'
import type { RunningServer } from '../startup/runningServer.ts'
import { renderGreeting } from './greet.ts'

const running = {
  url: 'http://127.0.0.1:4280',
  setupUrl: 'http://127.0.0.1:4280/setup#token=secret&mailbox=http%3A%2F%2F127.0.0.1%3A4280%2Fmailbox%2Fx',
  networkUrl: 'http://192.168.1.5:4280',
  mailbox: null,
  dashboard: 'http://127.0.0.1:4280/_/',
} as RunningServer
const options = { links: [], isOwnSchema: true, usualPort: null, isRestored: false, commandLine: String }

it('a server that other devices reach prints the setup link for them too', () => {
  expect(renderGreeting(running, options)).toContain(
    'On another device: http://192.168.1.5:4280/setup#token=secret\n',
  )
  expect(renderGreeting({ ...running, networkUrl: null }, options)).not.toContain('another device')
})

it('the greeting of a restored copy names the restore as the reason for the mailbox', () => {
  const withMailbox = { ...running, mailbox: 'http://127.0.0.1:4280/mailbox/x' }
  const reason = 'no mail server is configured'
  expect(renderGreeting(withMailbox, options)).toContain(reason)
  const restored = renderGreeting(withMailbox, { ...options, isRestored: true })
  expect(restored).not.toContain(reason)
  expect(restored).toContain('because a restored copy does not send them.')
})
