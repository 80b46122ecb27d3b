import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createControl } from './createControl.ts'
import { ControlUnavailable, sendControl } from './sendControl.ts'

let server: Server
let dashboard = ''
const token = 'a-token'

beforeAll(async () => {
  const app = createControl({
    token,
    actions: {
      repeat: async (body) => ({ body }),
      async refuse() {
        throw new Error('It is too late.')
      },
    },
  })
  // As the gateway mounts it.
  const listener = getRequestListener(new Hono().route('/_/control', app).fetch)
  server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  dashboard = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_/${token}/`
})
afterAll(() => server.close())

it('a command with the token runs an action', async () => {
  expect(await sendControl(dashboard, 'repeat', { a: 1 }, 5_000)).toEqual({ body: { a: 1 } })
})

it('the reason of a refusal reaches the command', async () => {
  await expect(sendControl(dashboard, 'refuse', null, 5_000)).rejects.toThrow('It is too late.')
})

it('an unknown action and a wrong token get the same response', async () => {
  await expect(sendControl(dashboard, 'unknown', null, 5_000)).rejects.toThrow(ControlUnavailable)
  await expect(sendControl(dashboard.replace(token, 'wrong'), 'repeat', null, 5_000)).rejects.toThrow(
    ControlUnavailable,
  )
})

it.each([
  ['origin', 'http://127.0.0.1'],
  ['sec-fetch-site', 'same-origin'],
  ['x-forwarded-for', '192.0.2.1'],
])('a page in a browser and a request through a proxy are refused: %s', async (header, value) => {
  const response = await fetch(new URL('/_/control/repeat', dashboard), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, [header]: value },
    body: '{}',
  })
  expect(response.status).toBe(404)
})
