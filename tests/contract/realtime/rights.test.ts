import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended, heard, joined } from './listening.ts'
import { startRealtimeHome, type Person, type RealtimeHome } from './realtimeHome.ts'

let home: RealtimeHome

beforeAll(async () => {
  home = await startRealtimeHome()
})
afterAll(() => home.close())

const privately = { config: { private: true } }

/** Somebody new who may listen, and speak, in these rooms. */
async function member(...rooms: string[]): Promise<Person> {
  const person = await home.person()
  for (const room of rooms) {
    await home.sql('insert into public.members (room, user_id, speaks) values ($1, $2, true)', [
      room,
      person.id,
    ])
  }
  return person
}

const say = (room: string, event: string): Promise<unknown> =>
  home.sql(`select realtime.send('{}', $1, $2, true)`, [event, room])

describe('a right that ends', () => {
  it('with membership: the topic closes, others and the other topics stay', async () => {
    const [bea, ann] = await Promise.all([member('pier', 'quay'), member('pier')])
    const client = await home.client(bea.token)
    const [pier, quay] = [client.channel('pier', privately), client.channel('quay', privately)]
    const anns = (await home.client(ann.token)).channel('pier', privately)
    const first = heard(pier, 'first')
    const over = ended(pier)
    await Promise.all([joined(pier), joined(quay), joined(anns)])
    await say('pier', 'first')
    await first

    const events: string[] = []
    pier.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    await home.sql(`delete from public.members where room = 'pier' and user_id = $1`, [bea.id])
    expect(await over).toBe('You no longer have permission to read from this Channel topic: pier')
    const [last, still] = [heard(anns, 'last'), heard(quay, 'still')]
    await say('pier', 'last')
    await say('quay', 'still')
    await Promise.all([last, still])
    expect(events).toEqual([])
    await expect(joined(client.channel('pier', privately))).rejects.toThrow('Unauthorized')
  })

  it('with the right to speak: the topic stays, what she says is no longer passed on', async () => {
    const bea = await member('stage')
    const [speaker, listener] = await Promise.all(
      [0, 1].map(async () => (await home.client(bea.token)).channel('stage', privately)),
    )
    const loud = heard(listener!, 'loud')
    await Promise.all([joined(speaker!), joined(listener!)])
    await speaker!.send({ type: 'broadcast', event: 'loud', payload: {} })
    await loud
    const events: string[] = []
    listener!.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    await home.sql(`update public.members set speaks = false where user_id = $1`, [bea.id])
    await expect
      .poll(async () => {
        events.length = 0
        await speaker!.send({ type: 'broadcast', event: 'whisper', payload: {} })
        const marked = heard(listener!, 'mark')
        await say('stage', 'mark')
        await marked
        return events
      })
      .toEqual(['mark'])
  })

  it('with the session, where the policies require one: the topic closes, and a join is refused with the reason', async () => {
    const bea = await member('session:cellar', 'session:attic', 'quay')
    const client = await home.client(bea.token)
    const [cellar, attic] = [
      client.channel('session:cellar', privately),
      client.channel('session:attic', privately),
    ]
    const quay = client.channel('quay', privately)
    const square = client.channel('square')
    const overs = [ended(cellar), ended(attic)]
    await Promise.all([joined(cellar), joined(attic), joined(quay), joined(square)])
    await home.sql('delete from auth.sessions where id = $1', [bea.sessionId])
    expect(await Promise.all(overs)).toEqual([
      'The session of this token has ended',
      'The session of this token has ended',
    ])
    expect([quay.state, square.state]).toEqual(['joined', 'joined'])
    // The token is good for an hour yet; its session is not.
    await expect(joined(client.channel('session:cellar', privately))).rejects.toThrow(
      'Unauthorized: The session of this token has ended',
    )
    const [still, whisper] = [heard(quay, 'still'), heard(quay, 'whisper')]
    await say('quay', 'still')
    await still
    const again = (await home.client(bea.token)).channel('quay', privately)
    await joined(again)
    await again.send({ type: 'broadcast', event: 'whisper', payload: {} })
    await whisper
  })

  it('while it is still being joined', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => member('gate')))
    const attempts = people.map(async (person) => {
      const channel = (await home.client(person.token)).channel('gate', privately)
      const over = ended(channel)
      const entered = await joined(channel).then(
        () => true,
        () => false,
      )
      return entered ? over : 'refused'
    })
    await home.sql(`delete from public.members where room = 'gate'`)
    for (const outcome of await Promise.all(attempts)) {
      expect(outcome).toMatch(/refused|no longer have permission/)
    }
  })
})

describe('a token', () => {
  it('that expires ends the topic and says so', async () => {
    const bea = await member('clock')
    const token = await home.tokenOf(bea, { expiresIn: 3 })
    const channel = (await home.client(token)).channel('clock', privately)
    const over = ended(channel)
    await joined(channel)
    expect(await over).toMatch(/^Token has expired \d+ seconds ago$/)
  })

  it('that is renewed lets the topic live on', async () => {
    const bea = await member('harbour')
    const client = await home.client(await home.tokenOf(bea, { expiresIn: 3 }))
    const other = (await home.client(await home.tokenOf(bea, { expiresIn: 3 }))).channel('harbour', privately)
    const channel = client.channel('harbour', privately)
    const otherOver = ended(other)
    await Promise.all([joined(channel), joined(other)])
    await client.realtime.setAuth(await home.tokenOf(bea, { expiresIn: 600 }))
    await otherOver
    const next = heard(channel, 'on')
    await say('harbour', 'on')
    await next
  })

  it('of somebody else has the policies asked again', async () => {
    const [bea, omar] = await Promise.all([member('vault'), home.person()])
    const client = await home.client(bea.token)
    const channel = client.channel('vault', privately)
    const over = ended(channel)
    await joined(channel)
    await client.realtime.setAuth(omar.token)
    expect(await over).toBe('You no longer have permission to read from this Channel topic: vault')
  })

  it.each([
    ['expired', /^InvalidJWTToken: Token has expired \d+ seconds ago$/],
    ['forged', /^JwtSignatureError: Failed to validate JWT signature$/],
    ['garbled', /^MalformedJWT: The token provided is not a valid JWT$/],
    ['huge', /^MalformedJWT: The token provided is not a valid JWT$/],
    ['of a role that is none', /^Unauthorized/],
    ['of the service itself', /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/],
  ])('that is %s is refused', async (kind, reason) => {
    const bea = await member('door')
    const tokens: Record<string, () => Promise<string> | string> = {
      expired: () => home.tokenOf(bea, { expiresIn: -10 }),
      forged: () => `${bea.token.slice(0, -8)}AAAAAAAA`,
      garbled: () => 'x.y.z',
      huge: () => 'a'.repeat(50_000),
      'of a role that is none': () => home.tokenOf(bea, { role: 'supabase_admin' }),
      'of the service itself': () => home.tokenOf(bea, { role: 'none' }),
    }
    const channel = (await home.client(await tokens[kind]!())).channel('door', privately)
    await expect(joined(channel)).rejects.toThrow(reason)
  })
})

describe('a policy', () => {
  it('that raises an error refuses its own topic and no other that is asked with it', async () => {
    const bea = await member('sound')
    const client = await home.client(bea.token)
    const broken = joined(client.channel('broken:1', privately))
    const sound = joined(client.channel('sound', privately))
    await expect(broken).rejects.toThrow(
      'Unauthorized: You do not have permissions to read from this Channel topic: broken:1',
    )
    await sound
  })

  it('may lean on the search path that API sessions have', async () => {
    const client = await home.client((await home.person()).token)
    await expect(joined(client.channel('shed', privately))).rejects.toThrow('Unauthorized')
    await home.sql(`insert into public.doors values ('barn')`)
    await joined(client.channel('barn', privately))
  })

  it('asks for each extension by itself', async () => {
    const bea = await home.person()
    await home.sql(`insert into public.members (room, user_id, shows) values ('porch', $1, true)`, [bea.id])
    const [first, second] = await Promise.all(
      [0, 1].map(async () =>
        (await home.client(bea.token)).channel('porch', {
          config: { private: true, presence: { key: 'bea', enabled: true } },
        }),
      ),
    )
    const seen = new Promise((resolve) => first!.on('presence', { event: 'join' }, resolve))
    await Promise.all([joined(first!), joined(second!)])
    expect(await second!.track({ mood: 'calm' })).toBe('ok')
    expect(await seen).toMatchObject({ key: 'bea', newPresences: [{ mood: 'calm' }] })

    const omar = await member('porch')
    const blind = (await home.client(omar.token)).channel('porch', {
      config: { private: true, presence: { key: 'omar', enabled: true } },
    })
    const states: unknown[] = []
    blind.on('presence', { event: 'sync' }, () => states.push(blind.presenceState()))
    await joined(blind)
    expect(await blind.track({ mood: 'curious' })).toBe('error')
    expect(states).toEqual([])
  })

  it('interleaved roles on one connection are each asked as themselves', async () => {
    const bea = await member('mixed')
    const tokens = [
      bea.token,
      await home.tokenOf(bea, { role: 'anon' }),
      await home.tokenOf(bea, { role: 'service_role' }),
    ]
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async (_, i) =>
        joined((await home.client(tokens[i % 3])).channel('mixed', privately)).then(
          () => 'in',
          () => 'out',
        ),
      ),
    )
    expect(outcomes).toEqual(Array.from({ length: 30 }, (_, i) => ['in', 'out', 'in'][i % 3]))
  })
})
