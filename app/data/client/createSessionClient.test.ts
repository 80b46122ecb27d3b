// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { cookieStorage } from './cookieStorage.ts'
import { createSessionClient } from './createSessionClient.ts'

const settings = { url: 'http://localhost', key: 'sb_publishable_x', installation: 'here' }
const session = {
  access_token: 'token',
  refresh_token: 'r',
  token_type: 'bearer',
  expires_at: Math.floor(Date.now() / 1000) + 3600,
  user: { id: 'a-person' },
}

afterEach(() => {
  cookieStorage.removeItem('sb-here-auth-token')
  vi.unstubAllGlobals()
})

/** Records the headers of each request by its path: names in lower case, values joined as browsers do. */
function recordHeaders(): Map<string, Record<string, string>> {
  const sent = new Map<string, Record<string, string>>()
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const headers: Record<string, string> = {}
    const pairs = init.headers instanceof Headers ? [...init.headers] : Object.entries(init.headers ?? {})
    for (const [name, value] of pairs) {
      const key = name.toLowerCase()
      headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
    }
    sent.set(new URL(String(input)).pathname, headers)
    return new Response('[]', { headers: { 'content-type': 'application/json' } })
  })
  return sent
}

it('requests have the token of the session alone, and the public key beside it', async () => {
  cookieStorage.setItem('sb-here-auth-token', JSON.stringify(session))
  const sent = recordHeaders()
  const { auth, rest } = createSessionClient(settings)
  await rest.from('channels').select()
  await auth.signOut({ scope: 'local' })
  for (const path of ['/rest/v1/channels', '/auth/v1/logout']) {
    expect(sent.get(path)).toMatchObject({ authorization: 'Bearer token', apikey: settings.key })
  }
})

it('requests have the public key while nobody is signed in', async () => {
  const sent = recordHeaders()
  const { rest } = createSessionClient(settings)
  await rest.from('channels').select()
  expect(sent.get('/rest/v1/channels')).toMatchObject({ authorization: `Bearer ${settings.key}` })
})

it('requests have no text that PostgreSQL cannot store', async () => {
  const bodies: unknown[] = []
  vi.stubGlobal('fetch', async (_: RequestInfo | URL, init: RequestInit = {}) => {
    bodies.push(JSON.parse(String(init.body)))
    return new Response('null', { headers: { 'content-type': 'application/json' } })
  })
  const { rest } = createSessionClient(settings)
  await rest.rpc('save_draft', { body: 'a\0\uD83D😀' })
  await rest.from('sections').insert({ name: '\uDE00' })
  expect(bodies).toEqual([{ body: 'a\uFFFD😀' }, { name: '\uFFFD' }])
})

it('requests of commands, rows and changes have a timeout', async () => {
  const signals: unknown[] = []
  vi.stubGlobal('fetch', async (_: RequestInfo | URL, init: RequestInit = {}) => {
    signals.push(init.signal)
    return new Response('[]', { headers: { 'content-type': 'application/json' } })
  })
  const { rest } = createSessionClient(settings)
  await rest.rpc('save_draft', {})
  await rest.from('sections').select()
  await rest.from('channel_member_state').update({ starred: true })
  expect(signals).toEqual(signals.map(() => expect.any(AbortSignal)))
  expect(signals).toHaveLength(3)
})
