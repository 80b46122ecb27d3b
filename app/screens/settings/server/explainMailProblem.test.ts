import { i18n } from '@lingui/core'
import { beforeAll, expect, it } from 'vitest'
import { explainMailProblem } from './explainMailProblem.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

it.each([
  ['getaddrinfo ENOTFOUND smtp.example.invalid', 'no server with this name'],
  ['connect ECONNREFUSED 127.0.0.1:25', 'accepts no connections'],
  ['Connection closed unexpectedly', 'accepts no connections'],
  ['read ECONNRESET', 'accepts no connections'],
  ['Connection timeout', 'didn’t respond in time'],
  ['Greeting never received', 'didn’t respond in time'],
  ['80E8:error:0A00010B:SSL routines:ssl3_get_record:wrong version number', 'another kind of encryption'],
  ["Hostname/IP does not match certificate's altnames: Host: smtp.example.org.", 'certificate isn’t valid'],
  ['self-signed certificate', 'certificate isn’t valid'],
  ['535 5.7.8 Authentication failed', 'user name or password'],
  ['530 5.7.0 Authentication required', 'requires a user name'],
  ['554 5.7.1 <ann@example.org>: Relay access denied', 'sender address'],
  ['553 5.7.1 Sender address rejected: not owned by user', 'sender address'],
  ['550 No such user here', 'recipient’s address'],
  ['452 4.2.2 The mailbox is over quota', 'mailbox is full'],
  ['421 Service not available', 'Try again later'],
])('explains the response %j of a mail server', (response, meaning) => {
  expect(explainMailProblem(response)).toContain(meaning)
})

it('does not explain a response that it does not know', () => {
  expect(explainMailProblem('599 Something else')).toBeNull()
})
