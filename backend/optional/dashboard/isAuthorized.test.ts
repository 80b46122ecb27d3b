import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { isAuthorized } from './isAuthorized.ts'

const form = (o: { encrypted: boolean; origin?: string }): IncomingMessage =>
  ({
    method: 'POST',
    headers: { host: '127.0.0.1:4280', ...(o.origin !== undefined && { origin: o.origin }) },
    socket: { remoteAddress: '127.0.0.1', ...(o.encrypted && { encrypted: true }) },
  }) as unknown as IncomingMessage

it('accepts forms only from its own origin, with or without TLS', () => {
  const isAccepted = (encrypted: boolean, origin?: string) =>
    isAuthorized(form({ encrypted, ...(origin !== undefined && { origin }) }), 'token', 'token')
  expect(isAccepted(false, 'http://127.0.0.1:4280')).toBe(true)
  expect(isAccepted(true, 'https://127.0.0.1:4280')).toBe(true)
  expect(isAccepted(true, 'http://127.0.0.1:4280')).toBe(false)
  expect(isAccepted(false, 'https://127.0.0.1:4280')).toBe(false)
  expect(isAccepted(false, 'http://localhost:4280')).toBe(false)
  expect(isAccepted(false)).toBe(false)
})

it('refuses calls without a request', () => {
  expect(isAuthorized(undefined, 'token', 'token')).toBe(false)
})
