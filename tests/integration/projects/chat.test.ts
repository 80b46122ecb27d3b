import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import type { Database, Tables } from '../../support/projects/chat/database.generated.ts'
import { joined } from '../realtime/channelEvents.ts'
import { clientOf, projectDir, signIn, typesOf } from './project.ts'

type Client = SupabaseClient<Database>

let backend: Backend
let ida: Client
let jon: Client
/** A room with one member. */
let kim: Client
let general: number

beforeAll(async () => {
  backend = await startBackend({ supabase: projectDir('chat') })
  ;[ida, jon, kim] = await Promise.all([
    signIn<Database>(backend, 'ida@example.com', 'let-me-in'),
    signIn<Database>(backend, 'jon@example.com', 'let-me-in'),
    signIn<Database>(backend, 'kim@example.com', 'let-me-in'),
  ])
  const { data } = await ida.from('rooms').select('id').eq('slug', 'general').single().throwOnError()
  general = data.id
})
afterAll(async () => {
  await Promise.all([ida, jon, kim].map((client) => client.removeAllChannels()))
  await backend.stop()
})

async function sendToGeneral(client: Client, body: string): Promise<Tables<'messages'>> {
  const sent = await client
    .from('messages')
    .insert({ room_id: general, body })
    .select()
    .single()
    .throwOnError()
  return sent.data
}

it('generates the types that its application uses', async () => {
  const types = await typesOf('chat', backend.dbUrl)
  await expect(types).toMatchFileSnapshot('../../support/projects/chat/database.generated.ts')
})

describe('rooms', () => {
  it('are visible to their members, with members and messages', async () => {
    const seen = async (client: Client): Promise<unknown> => {
      const { data } = await client
        .from('rooms')
        .select(
          'slug, owner:users!rooms_created_by_fkey(username), members:room_members(role, users(username)), messages(body)',
        )
        .order('username', { referencedTable: 'members.users' })
        .throwOnError()
      return data
    }
    expect(await seen(kim)).toEqual([
      {
        slug: 'quiet',
        owner: { username: 'kim' },
        members: [{ role: 'owner', users: { username: 'kim' } }],
        messages: [{ body: 'Welcome to quiet' }],
      },
    ])
    expect(await seen(jon)).toMatchObject([
      {
        slug: 'general',
        owner: { username: 'ida' },
        members: expect.arrayContaining([{ role: 'member', users: { username: 'jon' } }]),
      },
    ])
  })

  it('are created by a function that adds the owner as a member', async () => {
    const { data: room } = await kim.rpc('create_room', { slug: 'attic' }).throwOnError()
    expect(room).toMatchObject({ slug: 'attic', last_message_at: null })
    const members = await kim.from('room_members').select('role').eq('room_id', room.id).throwOnError()
    expect(members.data).toEqual([{ role: 'owner' }])
    expect((await clientOf<Database>(backend).rpc('create_room', { slug: 'nobody' })).error).toMatchObject({
      code: '42501',
    })
  })

  it('store the time of their last message', async () => {
    const sent = await sendToGeneral(jon, 'Good morning')
    const { data } = await jon
      .from('rooms')
      .select('last_message_at')
      .eq('id', general)
      .single()
      .throwOnError()
    expect(data.last_message_at).toBe(sent.inserted_at)
  })
})

describe('the schema before the first migration', () => {
  it('comes from the dump, with its policies', async () => {
    const { data } = await jon.from('emoji').insert({ name: 'Wave' }).select().single().throwOnError()
    expect(data).toMatchObject({ id: 1, name: 'Wave', aliases: [] })
    const anyone = clientOf<Database>(backend)
    expect((await anyone.from('emoji').select('name').throwOnError()).data).toEqual([{ name: 'Wave' }])
    expect((await anyone.from('emoji').insert({ name: 'Nope' })).error).toMatchObject({ code: '42501' })
    expect((await anyone.rpc('shortcode', { name: 'Wave' }).throwOnError()).data).toBe(':wave:')
  })

  it('logs the parts that are not available', () => {
    expect(backend.warnings.join('\n')).toContain('pg_graphql is not part of this PostgreSQL and is skipped')
  })
})

describe('realtime', () => {
  it('sends row changes to users who can read the row', async () => {
    const received: Record<'ida' | 'kim', string[]> = { ida: [], kim: [] }
    const listen = (client: Client, whose: 'ida' | 'kim'): Promise<void> =>
      joined(
        client
          .channel('schema-db-changes', { config: { postgres_changes_options: { wait: true } } })
          .on<Tables<'messages'>>(
            'postgres_changes',
            { event: '*', schema: 'public', table: 'messages' },
            (change) => {
              received[whose].push(
                change.eventType === 'DELETE' ? 'DELETE' : `${change.eventType} ${change.new.body}`,
              )
            },
          ),
      )
    await Promise.all([listen(ida, 'ida'), listen(kim, 'kim')])
    const { id } = await sendToGeneral(jon, 'Hello')
    await jon.from('messages').update({ body: 'Hello all' }).eq('id', id).throwOnError()
    // Sent last and received: other events for Kim would have arrived before.
    const { data: quiet } = await kim.from('rooms').select('id').eq('slug', 'quiet').single().throwOnError()
    await kim.from('messages').insert({ room_id: quiet.id, body: 'To myself' }).throwOnError()
    await expect.poll(() => received.kim).toEqual(['INSERT To myself'])
    await expect.poll(() => received.ida).toEqual(['INSERT Hello', 'UPDATE Hello all'])
  })

  it('delivers broadcasts of the database on a private topic', async () => {
    const received: unknown[] = []
    const channel = ida
      .channel(`room:${general}`, { config: { private: true } })
      .on('broadcast', { event: 'INSERT' }, ({ payload }) => received.push(payload))
    await ida.realtime.setAuth()
    await joined(channel)
    await sendToGeneral(jon, 'By the database')
    await expect
      .poll(() => received)
      .toEqual([
        expect.objectContaining({
          operation: 'INSERT',
          schema: 'public',
          table: 'messages',
          record: expect.objectContaining({ body: 'By the database', room_id: general }),
          old_record: null,
        }),
      ])
    await ida.removeChannel(channel)
  })

  it('refuses non-members on private topics', async () => {
    await kim.realtime.setAuth()
    const channel = kim.channel(`room:${general}`, { config: { private: true } })
    await expect(joined(channel)).rejects.toThrow(/permission|Unauthorized/i)
    await kim.removeChannel(channel)
  })

  it('supports presence and broadcasts of clients', async () => {
    const topic = `room:${general}`
    const options = { config: { private: true, broadcast: { self: false } } }
    const [hers, his] = [ida.channel(topic, options), jon.channel(topic, options)]
    const typing: unknown[] = []
    hers.on('presence', { event: 'sync' }, () => {})
    hers.on('broadcast', { event: 'typing' }, ({ payload }) => typing.push(payload))
    his.on('presence', { event: 'sync' }, () => {})
    await Promise.all([ida.realtime.setAuth(), jon.realtime.setAuth()])
    await Promise.all([joined(hers), joined(his)])
    await Promise.all([hers.track({ user: 'ida' }), his.track({ user: 'jon' })])
    const present = (): string[] =>
      Object.values(hers.presenceState<{ user: string }>())
        .flatMap((metas) => metas.map(({ user }) => user))
        .sort()
    await expect.poll(present).toEqual(['ida', 'jon'])

    await his.send({ type: 'broadcast', event: 'typing', payload: { user: 'jon' } })
    await expect.poll(() => typing).toEqual([{ user: 'jon' }])

    await jon.removeChannel(his)
    await expect.poll(present).toEqual(['ida'])
  })
})

describe('files', () => {
  const png = new Blob([new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])], { type: 'image/png' })

  it('in a public bucket are readable by anyone and writable by their owner', async () => {
    const { data } = await ida.auth.getUser()
    const path = `${data.user!.id}/face.png`
    const avatars = ida.storage.from('avatars')
    expect((await avatars.upload(path, png)).error).toBeNull()
    expect((await avatars.upload(path, png)).error).toMatchObject({ statusCode: '409' })
    expect((await avatars.upload(path, png, { upsert: true })).error).toBeNull()

    const { publicUrl } = avatars.getPublicUrl(path).data
    const fetched = await fetch(publicUrl)
    expect(fetched.headers.get('content-type')).toBe('image/png')
    expect((await fetched.arrayBuffer()).byteLength).toBe(8)

    const strange = await jon.storage.from('avatars').upload(path, png, { upsert: true })
    expect(strange.error).toMatchObject({ statusCode: '403' })
    const text = await avatars.upload(`${data.user!.id}/face.txt`, new Blob(['x'], { type: 'text/plain' }))
    expect(text.error).toMatchObject({ statusCode: '415' })
  })

  it('in a private bucket belong to the members of the room', async () => {
    const path = `${general}/plan.txt`
    const plan = new Blob(['The plan'], { type: 'text/plain' })
    const hers = ida.storage.from('attachments')
    expect((await hers.upload(path, plan)).error).toBeNull()
    await ida.from('messages').insert({ room_id: general, body: 'See here', attachment: path }).throwOnError()

    const { data: listed } = await jon.storage.from('attachments').list(String(general))
    expect(listed).toMatchObject([{ name: 'plan.txt', metadata: { size: 8, mimetype: 'text/plain' } }])
    const { data: downloaded } = await jon.storage.from('attachments').download(path)
    expect(await downloaded!.text()).toBe('The plan')
    const { data: signed } = await jon.storage.from('attachments').createSignedUrl(path, 60)
    expect(await (await fetch(signed!.signedUrl)).text()).toBe('The plan')

    expect((await kim.storage.from('attachments').download(path)).error).not.toBeNull()
    expect((await kim.storage.from('attachments').upload(`${general}/mine.txt`, plan)).error).toMatchObject({
      statusCode: '403',
    })
    expect((await kim.storage.from('attachments').list(String(general))).data).toEqual([])
    expect((await jon.storage.from('attachments').remove([path])).data).toEqual([])
    expect((await hers.remove([path])).data).toHaveLength(1)
  })
})
