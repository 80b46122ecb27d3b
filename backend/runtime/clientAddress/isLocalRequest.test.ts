import { expect, it } from 'vitest'
import { isLocalRequest } from './isLocalRequest.ts'

const from = (remoteAddress: string | undefined, headers: Record<string, string>): boolean =>
  isLocalRequest({ headers, socket: { remoteAddress } as never })

it.each([
  ['127.0.0.1', 'localhost:4280'],
  ['127.0.0.1', '127.0.0.1'],
  ['127.8.9.10', 'LocalHost'],
  ['127.0.0.1', 'linnet.localhost:4280'],
  ['::1', '[::1]:4280'],
  ['::ffff:127.0.0.1', 'localhost'],
])('a request of peer %s for host %s is local', (peer, host) => {
  expect(from(peer, { host })).toBe(true)
})

it.each([
  ['192.0.2.1', 'localhost'],
  ['::ffff:192.0.2.1', 'localhost'],
  ['fe80::1%lo', 'localhost'],
  [undefined, 'localhost'],
  ['127.0.0.1', 'rebound.example'],
  ['127.0.0.1', 'localhost.example:80'],
  ['127.0.0.1', 'xlocalhost'],
  ['127.0.0.1', '[::ffff:192.0.2.1]:80'],
  ['127.0.0.1', '127.0.0.1.example'],
  ['127.0.0.1', ''],
])('a request of peer %s for host %s is not local', (peer, host) => {
  expect(from(peer, { host })).toBe(false)
})

it.each(['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via', 'x-real-ip', 'cf-connecting-ip'])(
  'a request with the forwarding header %s is not local',
  (name) => {
    expect(from('127.0.0.1', { host: 'localhost', [name]: '127.0.0.1' })).toBe(false)
  },
)
