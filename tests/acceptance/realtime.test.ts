import { randomUUID } from 'node:crypto'
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anonymous,
  describeWithSchema,
  publicHeaders,
  service,
  target,
  usePeople,
  type Person,
} from './target.ts'

const people = usePeople()
const clients: SupabaseClient[] = []
let ann: Person
let bea: Person

const client = (): SupabaseClient => {
  const created = anonymous()
  clients.push(created)
  return created
}

beforeAll(async () => {
  ;[ann, bea] = await Promise.all([people.signUp(), people.signUp()])
  for (const person of [ann, bea]) {
    clients.push(person.client)
    await person.client.realtime.setAuth()
  }
})
afterAll(() => Promise.all(clients.map((each) => each.removeAllChannels())))

/** Subscribes; resolves with the first final status. */
const subscribe = (channel: RealtimeChannel): Promise<string> =>
  new Promise((resolve) => {
    channel.subscribe((status) => resolve(status))
  })

const topic = (): string => `acceptance-${randomUUID()}`

describe('broadcast', () => {
  it('reaches the other subscribers, and the sender on request', async () => {
    const name = topic()
    const received: string[] = []
    const [one, two] = [
      client().channel(name, { config: { broadcast: { self: true, ack: true } } }),
      client().channel(name),
    ] as const
    one.on('broadcast', { event: 'note' }, ({ payload }) => received.push(`one ${payload.n}`))
    two.on('broadcast', { event: 'note' }, ({ payload }) => received.push(`two ${payload.n}`))
    expect([await subscribe(one), await subscribe(two)]).toEqual(['SUBSCRIBED', 'SUBSCRIBED'])
    expect(await one.send({ type: 'broadcast', event: 'note', payload: { n: 1 } })).toBe('ok')
    await two.send({ type: 'broadcast', event: 'note', payload: { n: 2 } })
    await expect.poll(() => received.toSorted()).toEqual(['one 1', 'one 2', 'two 1'])
  })

  it('is sent over HTTP with the secret key', async () => {
    const name = topic()
    const received: unknown[] = []
    const channel = client().channel(name)
    channel.on('broadcast', { event: 'note' }, ({ payload }) => received.push(payload))
    expect(await subscribe(channel)).toBe('SUBSCRIBED')
    const response = await fetch(`${target.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: {
        apikey: target.serviceKey,
        authorization: `Bearer ${target.serviceKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ messages: [{ topic: name, event: 'note', payload: { n: 3 } }] }),
    })
    expect(response.status).toBe(202)
    await expect.poll(() => received).toMatchObject([{ n: 3 }])
  })
})

describe('presence', () => {
  it('shows who is there, and who left', async () => {
    const name = topic()
    const [one, two] = [client(), client()].map((each, n) =>
      each.channel(name, { config: { presence: { key: `person-${n}` } } }),
    ) as [RealtimeChannel, RealtimeChannel]
    const keys = (): string[] => Object.keys(one.presenceState()).toSorted()
    one.on('presence', { event: 'sync' }, () => {})
    two.on('presence', { event: 'sync' }, () => {})
    expect([await subscribe(one), await subscribe(two)]).toEqual(['SUBSCRIBED', 'SUBSCRIBED'])
    expect(await one.track({ status: 'here' })).toBe('ok')
    expect(await two.track({ status: 'here' })).toBe('ok')
    await expect.poll(keys).toEqual(['person-0', 'person-1'])
    expect(one.presenceState()['person-1']).toMatchObject([{ status: 'here' }])
    await two.untrack()
    await expect.poll(keys).toEqual(['person-0'])
  })
})

describe('a private topic', () => {
  it('is refused without a policy, and without a session', async () => {
    const config = { config: { private: true } }
    expect(await subscribe(bea.client.channel(topic(), config))).toBe('CHANNEL_ERROR')
    expect(await subscribe(client().channel(topic(), config))).toBe('CHANNEL_ERROR')
  })
})

describeWithSchema('a private topic with a policy', () => {
  it('is open to whom the policy admits', async () => {
    const name = `acceptance:${bea.user.id}`
    const config = { config: { private: true, broadcast: { self: true } } }
    const own = bea.client.channel(name, config)
    const received: unknown[] = []
    own.on('broadcast', { event: 'note' }, ({ payload }) => received.push(payload))
    expect(await subscribe(own)).toBe('SUBSCRIBED')
    expect(await subscribe(ann.client.channel(name, config))).toBe('CHANNEL_ERROR')
    await own.send({ type: 'broadcast', event: 'note', payload: { n: 1 } })
    await expect.poll(() => received).toMatchObject([{ n: 1 }])
  })
})

describeWithSchema('changes of rows', () => {
  it('are sent to those who may read the rows', async () => {
    const { data } = await bea.client
      .from('acceptance_lists')
      .insert({ title: 'Live' })
      .select('id')
      .single()
      .throwOnError()
    const received: Record<'ann' | 'bea', string[]> = { ann: [], bea: [] }
    const listen = async (person: Person, name: 'ann' | 'bea'): Promise<void> => {
      const channel = person.client
        .channel(topic())
        .on('postgres_changes', { event: '*', schema: 'public', table: 'acceptance_items' }, (change) => {
          const row = change.new as { position?: number; is_done?: boolean }
          received[name].push([change.eventType, row.position ?? '', row.is_done ?? ''].join(' ').trim())
        })
      const ready = new Promise<void>((resolve) => {
        channel.on('system', {}, ({ extension, status }: { extension: string; status: string }) => {
          if (extension === 'postgres_changes' && status === 'ok') resolve()
        })
      })
      expect(await subscribe(channel)).toBe('SUBSCRIBED')
      await ready
    }
    await Promise.all([listen(ann, 'ann'), listen(bea, 'bea')])
    const items = bea.client.from('acceptance_items')
    // Rights are checked when an event is sent, so that the row must still be there.
    await items.insert({ list_id: data.id, position: 1, body: 'One' }).throwOnError()
    await expect.poll(() => received.bea).toEqual(['INSERT 1 false'])
    await items.update({ is_done: true }).eq('list_id', data.id).throwOnError()
    await expect.poll(() => received.bea.slice(1)).toEqual(['UPDATE 1 true'])
    await items.delete().eq('list_id', data.id).throwOnError()
    await expect.poll(() => received.bea.slice(2)).toEqual(['DELETE'])
    // Deletions have no row that a policy could be checked against, so everyone receives their key.
    await expect.poll(() => received.ann).toEqual(['DELETE'])
  })
})

describe('the socket', () => {
  it('is refused without a valid key', async () => {
    const url = `${target.url}/realtime/v1/websocket?apikey=nonsense&vsn=1.0.0`
    const response = await fetch(url, {
      headers: { ...publicHeaders, apikey: 'nonsense', connection: 'Upgrade', upgrade: 'websocket' },
    }).catch(() => ({ status: 'closed' }))
    expect(response.status).not.toBe(101)
  })

  it('serves the secret key', async () => {
    const channel = service().channel(topic())
    expect(await subscribe(channel)).toBe('SUBSCRIBED')
    await channel.unsubscribe()
  })
})
