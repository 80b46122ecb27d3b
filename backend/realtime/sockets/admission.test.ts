import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { loadConfig } from '../../config/loadConfig.ts'
import { createAdmission, type Admission } from './admission.ts'
import { readSettings } from '../settings.ts'

function admission(realtime: Record<string, unknown>): Admission {
  const config = loadConfig('nowhere')
  config.tree['realtime'] = realtime
  return createAdmission(readSettings(config))
}

const from = (remoteAddress: string, headers: Record<string, string> = {}, url = '/websocket?vsn=2.0.0') =>
  ({ url, headers, socket: { remoteAddress } }) as unknown as IncomingMessage

const message = (outcome: ReturnType<Admission['enter']>): string =>
  'message' in outcome ? outcome.message : `in, ${outcome.version}`

it('limits each address to as many connections as it leaves free', () => {
  const connections = admission({ max_concurrent_users: 8 })
  const enterAll = (address: string): number => {
    let entered = 0
    while ('leave' in connections.enter(from(address))) entered++
    return entered
  }
  expect(enterAll('192.0.2.1')).toBe(4)
  expect(message(connections.enter(from('::ffff:192.0.2.1')))).toBe('Too many connections from this address')
  const second = connections.enter(from('192.0.2.2'))
  expect([message(second), enterAll('192.0.2.2'), enterAll('192.0.2.3')]).toEqual(['in, 2.0.0', 1, 1])
  expect(message(connections.enter(from('192.0.2.4')))).toBe('in, 2.0.0')
  expect(message(connections.enter(from('192.0.2.5')))).toBe('Too many connected users')
  if ('leave' in second) second.leave()
  expect(message(connections.enter(from('192.0.2.1')))).toBe('Too many connections from this address')
  expect(message(connections.enter(from('192.0.2.5')))).toBe('in, 2.0.0')
})

it('counts an IPv6 network as one address, and clients of a local proxy by their forwarded address', () => {
  const connections = admission({ max_connections_per_address: 1 })
  expect(message(connections.enter(from('2001:db8::1')))).toBe('in, 2.0.0')
  expect(message(connections.enter(from('2001:db8:0:0:ffff::2')))).toBe(
    'Too many connections from this address',
  )
  expect(message(connections.enter(from('2001:db8:0:1::2')))).toBe('in, 2.0.0')
  const behind = (forwarded: string) => from('127.0.0.1', { 'x-forwarded-for': forwarded })
  expect(message(connections.enter(behind('198.51.100.1')))).toBe('in, 2.0.0')
  // Entries before the last are claims of the client.
  expect(message(connections.enter(behind('203.0.113.9, 198.51.100.1')))).toBe(
    'Too many connections from this address',
  )
  for (let i = 0; i < 5; i++) expect(message(connections.enter(from('127.0.0.1')))).toBe('in, 2.0.0')
  expect(message(connections.enter(from('198.51.100.7', { 'x-forwarded-for': '192.0.2.1' })))).toBe(
    'in, 2.0.0',
  )
  expect(message(connections.enter(from('198.51.100.7', { 'x-forwarded-for': '192.0.2.2' })))).toMatch(
    'Too many',
  )
})

it('refuses pages of other origins if origins are configured, and no other programs', () => {
  const connections = admission({ allowed_origins: ['https://chat.example'] })
  expect(message(connections.enter(from('192.0.2.1', { origin: 'https://chat.example' })))).toBe('in, 2.0.0')
  expect(message(connections.enter(from('192.0.2.1', { origin: 'https://chat.example.evil' })))).toMatch(
    'origin',
  )
  expect(message(connections.enter(from('192.0.2.1', { origin: 'null' })))).toMatch('origin')
  expect(message(connections.enter(from('192.0.2.1')))).toBe('in, 2.0.0')
  expect(message(admission({}).enter(from('192.0.2.1', { origin: 'https://any.example' })))).toBe('in, 2.0.0')
})

it('accepts the protocol versions of the contract', () => {
  const connections = admission({})
  expect(message(connections.enter(from('192.0.2.1', {}, '/websocket')))).toBe('in, 1.0.0')
  expect(message(connections.enter(from('192.0.2.1', {}, '/websocket?vsn=3.0.0')))).toBe(
    'Unsupported protocol version',
  )
  expect(message(connections.enter(from('192.0.2.1', {}, '/elsewhere')))).toBe('Not Found')
})
