import { afterAll, beforeAll, expect, it } from 'vitest'
import { dropSlot } from './dropSlot.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime()
})
afterAll(() => realtime.close())

it('lost WAL is replaced from the table: clients receive everything, metrics report it', async () => {
  const raw = await rawSocket(realtime)
  await raw.join('realtime:room')
  await dropSlot(realtime)
  await realtime.sql(`select realtime.send('{}', 'sent', 'room', false)`)
  await raw.find((frame) => frame.broadcast?.event === 'sent')
  expect(raw.frames.some((frame) => !frame.broadcast && frame.event === 'system')).toBe(false)
  expect(realtime.service.stats().walGaps).toBe(1)
  raw.socket.close()
})

it('if the table cannot be read either, each topic gets a message about lost messages', async () => {
  const raw = await rawSocket(realtime)
  await raw.join('realtime:room')
  await realtime.service.ready()
  await realtime.serviceSql('revoke select on realtime.messages from supabase_realtime_admin')
  await dropSlot(realtime)
  const frame = await raw.find((frame) => !frame.broadcast && frame.event === 'system')
  expect(frame).toMatchObject({
    topic: 'realtime:room',
    payload: { status: 'error', extension: 'system', message: expect.stringContaining('Messages were lost') },
  })
  await realtime.serviceSql('grant select on realtime.messages to supabase_realtime_admin')
  await realtime.service.ready()
  await realtime.sql(`select realtime.send('{}', 'goes on', 'room', false)`)
  await raw.find((frame) => frame.broadcast?.event === 'goes on')
  raw.socket.close()
})
