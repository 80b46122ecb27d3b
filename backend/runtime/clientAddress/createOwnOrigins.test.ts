import { expect, it } from 'vitest'
import { createOwnOrigins, type Machine } from './createOwnOrigins.ts'

const ipv4 = (address: string, internal = false) => ({
  address,
  netmask: '255.255.255.0',
  family: 'IPv4' as const,
  mac: '00:00:00:00:00:00',
  internal,
  cidr: null,
})
const machine: Machine = {
  hostname: () => 'Kitchen',
  networkInterfaces: () => ({
    lo: [ipv4('127.0.0.1', true)],
    docker0: [ipv4('172.17.0.1')],
    eth0: [ipv4('192.168.1.5'), { ...ipv4('fd00::5'), family: 'IPv6' as const, scopeid: 0 }],
  }),
}
const all = createOwnOrigins({ host: '0.0.0.0', port: 4280, isEncrypted: false }, machine)
const from = (remoteAddress: string, host?: string) =>
  all.ofRequest({ headers: { host }, socket: { remoteAddress } } as never)

it.each([
  ['192.168.1.5:4280', 'http://192.168.1.5:4280'],
  ['[fd00::5]:4280', 'http://[fd00::5]:4280'],
  ['kitchen:4280', 'http://kitchen:4280'],
  ['KITCHEN.local:4280', 'http://kitchen.local:4280'],
])('the host %s belongs to this machine', (host, origin) => {
  expect(from('192.168.1.9', host)).toBe(origin)
})

it.each([
  undefined,
  '',
  'evil.example:4280',
  '192.168.1.5:8000',
  '192.168.1.5',
  'evil.example/@192.168.1.5:4280',
  'user@192.168.1.5:4280',
  '192.168.1.5:4280/x',
  'kitchen.local.evil.example:4280',
])('the host %s is not accepted', (host) => {
  expect(from('192.168.1.9', host)).toBeNull()
})

it('a loopback name is accepted from this machine only', () => {
  expect(from('127.0.0.1', 'localhost:4280')).toBe('http://localhost:4280')
  expect(from('192.168.1.9', 'localhost:4280')).toBeNull()
})

it('other machines reach a server that listens on all interfaces', () => {
  expect(all.ofNetwork()).toBe('http://192.168.1.5:4280')
  const local = createOwnOrigins({ host: '127.0.0.1', port: 4280, isEncrypted: false }, machine)
  expect(local.ofNetwork()).toBeNull()
})
