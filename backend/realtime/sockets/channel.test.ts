import { expect, it } from 'vitest'
import type { PermissionResult } from '../authorization/authorizer.ts'
import type { PermissionCheck } from '../authorization/checkPolicies.ts'
import { Channel, type ChannelConnection, type ChannelContext } from './channel.ts'

it('no longer needs a check of its policies once it is closed', () => {
  const checks: PermissionCheck[] = []
  const none = (): void => {}
  const context = {
    channelIndex: { add: none, remove: none },
    hub: { leave: none },
    plugins: [],
    authorizer: {
      check(check: PermissionCheck) {
        checks.push(check)
        return new Promise<PermissionResult>(none)
      },
    },
  } as unknown as ChannelContext
  const connection = { closed: false, removeChannel: none } as unknown as ChannelConnection
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
