import { expect, it } from 'vitest'
import { isLoopback, networkOf, parseAddress } from './parseAddress.ts'

it.each([
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['"192.0.2.1:80"', '192.0.2.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['"[2001:db8::1]:443"', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
  ['fe80::1%eth0', 'fe80::1'],
])('%s is %s', (text, address) => {
  expect(parseAddress(text)).toBe(address)
})

it.each([
  '',
  'unknown',
  '_hidden',
  'localhost',
  '192.0.2',
  '192.0.2.01',
  '0300.0.2.1',
  '3221225985',
  '192.0.2.1:port',
  '2001:db8::1:443:x',
  '[192.0.2.1',
  '1:2:3:4:5:6:7:8:9',
  '127.0.0.1.example',
  `${' '.repeat(200)}192.0.2.1`,
  '[2001:db8::1]@example',
])('%j is no address', (text) => {
  expect(parseAddress(text)).toBeNull()
})

it('recognises loopback addresses', () => {
  for (const here of ['127.0.0.1', '127.9.9.9', '::1']) expect(isLoopback(here)).toBe(true)
  for (const other of ['192.0.2.1', '::2', '127.0.0.1.example', '', '127.1'])
    expect(isLoopback(other)).toBe(false)
})

it('counts the /64 of an IPv6 subscriber as one network', () => {
  expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8:0:0:ffff::2'))
  expect(networkOf('2001:db8::1')).not.toBe(networkOf('2001:db8:0:1::1'))
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
})
