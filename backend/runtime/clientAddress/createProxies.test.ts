import { expect, it } from 'vitest'
import { createProxies, isProxyRange, type Incoming } from './createProxies.ts'

const from = (remoteAddress: string, headers: Record<string, string> = {}): Incoming =>
  ({ headers, socket: { remoteAddress } }) as Incoming

/** The client's address for an installation that trusts `ranges`. */
const who = (ranges: string[], remoteAddress: string, headers: Record<string, string> = {}): string =>
  createProxies(ranges).clientOf(from(remoteAddress, headers)).address

const behind = (chain: string): Record<string, string> => ({ 'x-forwarded-for': chain })

it('trusts proxies of this machine unless others are configured', () => {
  expect(who([], '127.0.0.1', behind('198.51.100.1'))).toBe('198.51.100.1')
  expect(who([], '::ffff:127.0.0.1', behind('198.51.100.1'))).toBe('198.51.100.1')
  expect(who([], '10.0.0.2', behind('198.51.100.1'))).toBe('10.0.0.2')
  expect(who(['10.0.0.0/8'], '10.0.0.2', behind('198.51.100.1'))).toBe('198.51.100.1')
  expect(who(['10.0.0.0/8'], '127.0.0.1', behind('198.51.100.1'))).toBe('127.0.0.1')
  expect(who(['fd00::/8'], 'fd12::7', behind('2001:db8::1'))).toBe('2001:db8::1')
  expect(who(['192.0.2.7'], '192.0.2.7', behind('198.51.100.1'))).toBe('198.51.100.1')
  expect(who(['192.0.2.7'], '192.0.2.8', behind('198.51.100.1'))).toBe('192.0.2.8')
})

it('reads a chain of trusted proxies from its end up to the first untrusted address', () => {
  const trusted = ['10.0.0.0/8']
  expect(who(trusted, '10.0.0.2', behind('203.0.113.9, 198.51.100.1, 10.0.0.1'))).toBe('198.51.100.1')
  expect(who(trusted, '10.0.0.2', behind('10.0.0.9, 198.51.100.1'))).toBe('198.51.100.1')
  expect(who(trusted, '10.0.0.2', behind('10.0.0.7, 10.0.0.1'))).toBe('10.0.0.7')
})

it('ignores forwarding headers of an untrusted peer', () => {
  for (const claim of ['127.0.0.1', '::1', '10.0.0.1, 127.0.0.1', ',,,']) {
    expect(who([], '203.0.113.9', { ...behind(claim), forwarded: `for=${claim}` })).toBe('203.0.113.9')
  }
})

it('stops at a hop that is no address', () => {
  for (const chain of [
    '198.51.100.1, unknown',
    '198.51.100.1,',
    '',
    ',',
    '198.51.100.1, _secret',
    'x'.repeat(9_000),
  ]) {
    expect(who([], '127.0.0.1', behind(chain))).toBe('127.0.0.1')
  }
})

it('reads RFC 7239 as well', () => {
  const addressFrom = (forwarded: string): string => who([], '127.0.0.1', { forwarded })
  expect(addressFrom('for=198.51.100.1')).toBe('198.51.100.1')
  expect(addressFrom('for=203.0.113.9, proto=https;For="[2001:db8::1]:4711";by=10.0.0.1')).toBe('2001:db8::1')
  expect(addressFrom('for=203.0.113.9, proto=https')).toBe('127.0.0.1')
  expect(addressFrom('for=unknown')).toBe('127.0.0.1')
})

it('ignores two headers that differ, since the client may have sent one of them', () => {
  const both = (x: string, forwarded: string): string =>
    who([], '127.0.0.1', { 'x-forwarded-for': x, forwarded })
  expect(both('198.51.100.1', 'for=198.51.100.1')).toBe('198.51.100.1')
  expect(both('198.51.100.1', 'for=203.0.113.9')).toBe('127.0.0.1')
  expect(both('203.0.113.9', 'for=198.51.100.1')).toBe('127.0.0.1')
})

it('reads a chain of the maximum length of a header', () => {
  const forged = Array.from({ length: 6_000 }, () => '127.0.0.1').join(',')
  expect(who([], '127.0.0.1', behind(`${forged},198.51.100.1`))).toBe('198.51.100.1')
  expect(who([], '127.0.0.1', behind(forged))).toBe('127.0.0.1')
})

it('accepts address ranges, except those that contain every address', () => {
  for (const range of ['10.0.0.0/8', '::1', 'fd00::/8', '192.0.2.1/32'])
    expect(isProxyRange(range)).toBe(true)
  for (const range of [
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    'proxy',
    '',
    '10.0.0.0/8/8',
    '::/129',
  ]) {
    expect(isProxyRange(range)).toBe(false)
  }
})
