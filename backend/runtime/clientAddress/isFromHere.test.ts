import { expect, it } from 'vitest'
import { isFromHere } from './isFromHere.ts'

const from = (remoteAddress: string | undefined, headers: Record<string, string>): boolean =>
  isFromHere({ headers, socket: { remoteAddress } as never })

it.each([
  ['127.0.0.1', 'localhost:4280'],
  ['127.0.0.1', '127.0.0.1'],
  ['127.8.9.10', 'LocalHost'],
  ['127.0.0.1', 'linnet.localhost:4280'],
  ['::1', '[::1]:4280'],
  ['::ffff:127.0.0.1', 'localhost'],
])('a peer %s that asks %s is here', (peer, host) => {
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
])('a peer %s that asks %s is not', (peer, host) => {
  expect(from(peer, { host })).toBe(false)
})

it.each(['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via', 'x-real-ip', 'cf-connecting-ip'])(
  'whoever a proxy speaks for (%s) is not',
  (name) => {
    expect(from('127.0.0.1', { host: 'localhost', [name]: '127.0.0.1' })).toBe(false)
  },
)
