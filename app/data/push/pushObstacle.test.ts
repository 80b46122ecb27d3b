import { expect, it } from 'vitest'
import { pushObstacle } from './pushObstacle.ts'

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0'
const ipad = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15'

it.each([
  [null, {}],
  ['denied', { permission: 'denied' }],
  ['insecure', { isSecureContext: false, hasPush: false }],
  ['unsupported', { hasPush: false }],
  ['unsupported', { hasPush: false, userAgent: ipad }],
  ['no-install', { hasPush: false, userAgent: ipad, maxTouchPoints: 5 }],
  ['no-install', { hasPush: false, userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)' }],
] as const)('is %s with %j', (expected, changes) => {
  const { userAgent, maxTouchPoints, ...others } = {
    isSecureContext: true,
    hasPush: true,
    permission: 'default' as NotificationPermission,
    userAgent: chrome as string,
    maxTouchPoints: 0 as number,
    ...changes,
  }
  expect(pushObstacle({ ...others, navigator: { userAgent, maxTouchPoints } })).toBe(expected)
})
