import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorResponses, sendError } from './errorResponses.ts'

let server: Server
let url: string

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    outgoing.setHeader('sb-request-id', 'one')
    const [text, name] = incoming.url === '/text' ? ['OK\r', 'x-a'] : ['Fine', 'not a name']
    // As a head that a function has written past its own runtime.
    expect(() => outgoing.writeHead(200, text, { 'set-cookie': 'a=b', [name!]: 'c' })).toThrow(/valid/i)
    sendError(outgoing, errorResponses.crash)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

it.each(['text', 'name'])('does not send an invalid head that was set: its %s', async (part) => {
  const answer = await fetch(`${url}/${part}`)
  expect([answer.status, answer.statusText]).toEqual([500, 'Internal Server Error'])
  expect(answer.headers.get('sb-request-id')).toBe('one')
  expect(answer.headers.get('sb-error-code')).toBe('WORKER_ERROR')
  expect(answer.headers.get('set-cookie')).toBeNull()
})
