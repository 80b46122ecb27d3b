import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { JsonFrame } from '../../../wire/realtime.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'

const topic = 'realtime:porch'
let data: ReturnType<typeof temporaryData>
let server: Server

const start = (): Promise<Server> =>
  startServer({ root: join(import.meta.dirname, '../../..'), dataDir: data.dir, args: ['--no-app'] })

beforeAll(async () => {
  data = temporaryData()
  await fillLinnetData(data.dir)
  server = await start()
})
afterAll(async () => {
  await server?.end('SIGTERM')
  data?.remove()
})

/** Joins under that key, shows himself, and answers who was there before. */
async function enter(key: string): Promise<{ raw: RawSocket; found: object }> {
  const raw = await rawSocket({ url: server.url, anonKey: server.serviceRoleKey })
  const config = { private: true, presence: { enabled: true, key } }
  expect((await raw.join(topic, { config })).status).toBe('ok')
  const state = await raw.find((frame) => !frame.broadcast && frame.event === 'presence_state')
  raw.send({ topic, event: 'presence', ref: 'track', payload: { event: 'track', payload: {} } })
  expect((await raw.reply('track')).status).toBe('ok')
  return { raw, found: (state as JsonFrame).payload as object }
}

it('no member is present after a crash', async () => {
  await enter('ann')
  const before = await enter('bea')
  expect(Object.keys(before.found)).toEqual(['ann'])
  await server.end('SIGKILL')
  await before.raw.closed

  server = await start()
  expect((await enter('bea')).found).toEqual({})
  const late = await enter('cleo')
  expect(Object.keys(late.found)).toEqual(['bea'])
})
