import { expect, it } from 'vitest'
import { loggedPath } from './loggedPath.ts'

it.each([
  ['/rest/v1/messages', true, '/rest/v1/messages'],
  ['/rest/v1/rpc/send_message', true, '/rest/v1/rpc/send_message'],
  ['/storage/v1/object/files/a/b.png', true, '/storage/v1/object/files/a/b.png'],
  ['/auth/v1/token', true, '/auth/v1/token'],
  ['/rest/v1', true, '/rest/v1'],
  ['/functions/v1/push', true, '/functions/v1/push'],
  ['/functions/v1/incoming-webhook/SECRET', true, '/functions/v1/incoming-webhook'],
  ['/functions/v1/command-response/SECRET/', true, '/functions/v1/command-response'],
  ['/functions/v1/own-hook/a/SECRET', true, '/functions/v1/own-hook'],
  ['/functions/v1/incoming-webhook%2FSECRET', true, '/functions/v1/incoming-webhook'],
  ['/functions/v1/incoming-webhook;SECRET', true, '/functions/v1/incoming-webhook'],
  ['/functions/v1//incoming-webhook/SECRET', true, '/functions/v1/'],
  ['/functions/v2/incoming-webhook/SECRET', true, '/functions/v2/incoming-webhook'],
  ['/Functions/v1/incoming-webhook/SECRET', true, '/Functions/v1/incoming-webhook'],
  ['/restful/v1/hook/SECRET', true, '/restful/v1/hook'],
  ['/mailbox/SECRET', false, '/mailbox'],
  ['/mailbox/SECRET/1', false, '/mailbox'],
  ['/_/SECRET/', false, '/_'],
  ['/_/v1/SECRET', true, '/_'],
  ['/join/SECRET', false, '/'],
  ['/', false, '/'],
  ['', false, '/'],
])('logs %s (of a service: %s) as %s', (path, isService, logged) => {
  expect(loggedPath(path, isService)).toBe(logged)
})
