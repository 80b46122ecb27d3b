import { randomUUID } from 'node:crypto'
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBackend } from '../../support/backend.ts'
import type { Backend } from '../../support/backend.ts'
import { adminOf, clientOf, signUp } from '../../support/people.ts'

let backend: Backend
beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend?.stop())

const subscribed = (channel: RealtimeChannel): Promise<string> =>
  new Promise((resolve) => channel.subscribe((status) => resolve(status)))

test('one address and one key serve accounts, rows, files and sockets', async () => {
  const person = await signUp(backend, 'ann')
  expect((await person.auth.getUser()).data.user?.email).toBe('ann@harbour.example')
  expect((await person.rpc('bootstrap')).data).toMatchObject({ me: null })
  expect((await person.storage.listBuckets()).data).toEqual([])
  expect((await adminOf(backend).storage.listBuckets()).data?.length).toBeGreaterThan(0)

  const topic = `room-${randomUUID()}`
  const open = (client: SupabaseClient): RealtimeChannel =>
    client.channel(topic, { config: { private: true } })
  const [ear, mouth] = [open(adminOf(backend)), open(adminOf(backend))]
  const received = new Promise((resolve) => ear.on('broadcast', { event: 'greeting' }, resolve))
  expect(await subscribed(ear)).toBe('SUBSCRIBED')
  expect(await subscribed(mouth)).toBe('SUBSCRIBED')
  await mouth.send({ type: 'broadcast', event: 'greeting', payload: { words: 'hello' } })
  expect(await received).toMatchObject({ payload: { words: 'hello' } })
  await Promise.all([ear.unsubscribe(), mouth.unsubscribe()])
  // Linnet has no open topics: a client with only the publishable key receives nothing.
  const outsider = clientOf(backend)
  expect(await subscribed(outsider.channel(topic))).toBe('CHANNEL_ERROR')
  await outsider.removeAllChannels()
})

test('a wrong key is refused everywhere, including WebSockets', async () => {
  const outsider = clientOf({ url: backend.url, publishableKey: 'sb_publishable_wrong' })
  expect((await outsider.rpc('bootstrap')).error?.message).toBe('Invalid API key')
  expect(
    (await outsider.auth.signInWithPassword({ email: 'a@b.example', password: 'x' })).error?.message,
  ).toBe('Invalid API key')
  expect((await outsider.storage.listBuckets()).error?.message).toBe('Invalid API key')
  expect(await subscribed(outsider.channel('room'))).toBe('CHANNEL_ERROR')
  await outsider.removeAllChannels()
})

test.each(['rest', 'auth', 'storage', 'realtime'])(
  '%s responds to an unknown path with its own error',
  async (name) => {
    const response = await fetch(`${backend.url}/${name}/v1/there/is/nothing/here`, {
      headers: { apikey: backend.publishableKey },
    })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  },
)
