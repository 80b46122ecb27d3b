import { afterAll, beforeAll, expect, it } from 'vitest'
import { rawSocket } from './rawSocket.ts'
import { startRealtimeHome, type RealtimeHome } from './realtimeHome.ts'

let home: RealtimeHome

beforeAll(async () => {
  home = await startRealtimeHome()
})
afterAll(() => home.close())

const loseLog = async (): Promise<void> => {
  await home.serviceSql('select pg_terminate_backend(active_pid, 5000) from pg_replication_slots')
  await home.serviceSql(
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active',
  )
}

it('a log that is lost is told from the table: sockets notice nothing, figures do', async () => {
  const raw = await rawSocket(home)
  await raw.join('realtime:room')
  await loseLog()
  await home.sql(`select realtime.send('{}', 'said', 'room', false)`)
  await raw.find((frame) => frame.broadcast?.event === 'said')
  expect(raw.frames.some((frame) => !frame.broadcast && frame.event === 'system')).toBe(false)
  expect(home.service.stats().walGaps).toBe(1)
  raw.socket.close()
})

it('where the table can not be read either, each topic is told that messages were lost', async () => {
  const raw = await rawSocket(home)
  await raw.join('realtime:room')
  await home.service.ready()
  await home.serviceSql('revoke select on realtime.messages from supabase_realtime_admin')
  await loseLog()
  const frame = await raw.find((frame) => !frame.broadcast && frame.event === 'system')
  expect(frame).toMatchObject({
    topic: 'realtime:room',
    payload: { status: 'error', extension: 'system', message: expect.stringContaining('Messages were lost') },
  })
  await home.serviceSql('grant select on realtime.messages to supabase_realtime_admin')
  await home.service.ready()
  await home.sql(`select realtime.send('{}', 'goes on', 'room', false)`)
  await raw.find((frame) => frame.broadcast?.event === 'goes on')
  raw.socket.close()
})
