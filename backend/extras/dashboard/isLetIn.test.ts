import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { isLetIn } from './isLetIn.ts'

const form = (o: { encrypted: boolean; origin?: string }): IncomingMessage =>
  ({
    method: 'POST',
    headers: { host: '127.0.0.1:4280', ...(o.origin !== undefined && { origin: o.origin }) },
    socket: { remoteAddress: '127.0.0.1', ...(o.encrypted && { encrypted: true }) },
  }) as unknown as IncomingMessage

it('hears a form only from the very address that it is sent to, with TLS or without', () => {
  const heard = (encrypted: boolean, origin?: string) =>
    isLetIn(form({ encrypted, ...(origin !== undefined && { origin }) }), 'token', 'token')
  expect(heard(false, 'http://127.0.0.1:4280')).toBe(true)
  expect(heard(true, 'https://127.0.0.1:4280')).toBe(true)
  expect(heard(true, 'http://127.0.0.1:4280')).toBe(false)
  expect(heard(false, 'https://127.0.0.1:4280')).toBe(false)
  expect(heard(false, 'http://localhost:4280')).toBe(false)
  expect(heard(false)).toBe(false)
})

it('lets nobody in by a call that is not a request', () => {
  expect(isLetIn(undefined, 'token', 'token')).toBe(false)
})
