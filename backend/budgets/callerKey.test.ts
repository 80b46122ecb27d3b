import { expect, it } from 'vitest'
import type { Caller, Claims } from '../../wire/claims.ts'
import { callerKey } from './callerKey.ts'

const caller = (role: string, claims: Claims, network?: string): Caller => ({
  role,
  claims,
  claimsJson: '{}',
  ...(network !== undefined && { network }),
})

it('counts people by themselves, wherever they are, and others by their network', () => {
  const ann = callerKey(caller('authenticated', { sub: 'a' }, '192.0.2.1'))
  expect(callerKey(caller('authenticated', { sub: 'a' }, '192.0.2.2'))).toBe(ann)
  expect(callerKey(caller('authenticated', { sub: 'b' }, '192.0.2.1'))).not.toBe(ann)
  const network = callerKey(caller('anon', {}, '192.0.2.1'))
  expect(callerKey(caller('anon', { sub: '' }, '192.0.2.1'))).toBe(network)
  expect(callerKey(caller('anon', {}, '192.0.2.2'))).not.toBe(network)
})

it('the content of a token cannot produce the key of a network, another person or the service', () => {
  expect(callerKey(caller('authenticated', { sub: 'service_role' }))).not.toBe('service_role')
  expect(callerKey(caller('anon', { sub: 'network 192.0.2.1' }))).not.toBe(
    callerKey(caller('anon', {}, '192.0.2.1')),
  )
})
