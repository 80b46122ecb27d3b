import { expect, it } from 'vitest'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { createAuthorizer } from './authorizer.ts'

const log = { error() {}, warn() {} } as unknown as Logger
/** Its checks are unavailable at once. */
const failing = { withClient: () => Promise.reject(new Error('no connection')) } as unknown as Pool
/** Its checks never end. */
const hanging = { withClient: () => new Promise(() => {}) } as unknown as Pool

function callerOf(person: string) {
  return { role: 'authenticated', claims: { sub: person }, claimsJson: '{}' } as const
}

it('of the joins of a caller the first are checked at once, and further ones at a lower priority', async () => {
  const authorizer = createAuthorizer(failing, hanging, log)
  const resolved: string[] = []
  const check = (person: string, topic: string, canYield: boolean) =>
    authorizer
      .check({ caller: callerOf(person), topic, verb: 'read', extensions: ['broadcast'], canYield })
      .then(() => resolved.push(`${person} ${topic}`))
  const joins = Array.from({ length: 30 }, (_, n) => check('ann', String(n), true))
  await Promise.all([...joins.slice(0, 4), check('bea', '0', true)])
  expect(resolved.toSorted()).toEqual(['ann 0', 'ann 1', 'ann 2', 'ann 3', 'bea 0'])
  await check('ann', 'permissions of a joined topic', false)
  expect(resolved).toHaveLength(6)
})
