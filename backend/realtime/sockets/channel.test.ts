import { expect, it } from 'vitest'
import type { PermissionResult } from '../authorization/authorizer.ts'
import type { PermissionCheck } from '../authorization/PermissionCheck.ts'
import type { RealtimeContext } from '../context.ts'
import { Channel } from './channel.ts'
import type { Connection } from './connection.ts'

it('no longer needs a check of its policies once it is closed', () => {
  const checks: PermissionCheck[] = []
  const none = (): void => {}
  const context = {
    users: { add: none, remove: none },
    hub: { leave: none },
    changes: { unsubscribe: none },
    presence: { leave: none },
    authorizer: {
      check(check: PermissionCheck) {
        checks.push(check)
        return new Promise<PermissionResult>(none)
      },
    },
  } as unknown as RealtimeContext
  const connection = { closed: false, removeChannel: none } as unknown as Connection
  const channel = new Channel(context, connection, {
    name: 'room',
    joinRef: '1',
    isPrivate: true,
    caller: { role: 'authenticated', claims: {}, claimsJson: '{}' },
  })
  void channel.evaluateReads()
  expect(checks.map((check) => check.isCancelled?.())).toEqual([false])
  channel.dispose()
  expect(checks.map((check) => check.isCancelled?.())).toEqual([true])
})
