import { i18n } from '@lingui/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { NewSession, OfferedSession } from './offeredSession.ts'

const library = vi.hoisted(() => ({
  present: null as { access_token: string; user: { id: string } } | null,
  refresh: vi.fn(),
}))
vi.mock('../client/getClient.ts', () => ({
  getClient: async () => ({
    auth: {
      getSession: async () => ({ data: { session: library.present } }),
      refreshSession: library.refresh,
    },
  }),
}))
vi.mock('../client/settings.ts', () => ({
  loadSettings: async () => ({ url: 'https://chat.example', key: 'key' }),
}))

const { offerSession } = await import('./offeredSession.ts')

const ANN = { access_token: 'of Ann', user: { id: 'ann' } }
const MALLORY: NewSession = {
  access_token: 'of Mallory',
  refresh_token: 'refresh of Mallory',
  user: { id: 'mallory', email: 'mallory@example.com' },
}

/** The access tokens of the sessions that were ended on the server. */
let ended: string[]
let isReachable: boolean

beforeEach(() => {
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  ended = []
  isReachable = true
  library.present = ANN
  library.refresh.mockReset().mockResolvedValue({ error: null })
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Record<string, string> }) => {
    if (!isReachable) throw new TypeError('network')
    expect(url).toBe('https://chat.example/auth/v1/logout?scope=local')
    ended.push(headers['authorization']!.replace('Bearer ', ''))
    return new Response(null, { status: 204 })
  })
})
afterEach(() => void vi.unstubAllGlobals())

async function offer(...args: Parameters<typeof offerSession>): Promise<OfferedSession | null> {
  const offered = await offerSession(...args)
  if (!offered.ok) throw new Error(offered.failure.name)
  return offered.value
}

it.each([
  ['while somebody else is signed in', ANN, {}],
  ['that was requested here, while somebody else is signed in', ANN, { requestedHere: true }],
  ['that was not requested here, while nobody is', null, {}],
])('the session of an account that was not shown is only offered %s', async (_, present, o) => {
  library.present = present
  for (const named of [null, 'ann@example.com']) {
    const offered = await offer(MALLORY, named, o)
    expect(offered?.email).toBe('mallory@example.com')
  }
  expect(library.refresh).not.toHaveBeenCalled()
  expect(ended).toEqual([])
})

it('accepting an offered session stores it, and ends the one before on the server', async () => {
  const offered = await offer(MALLORY, null)
  expect(await offered!.accept()).toMatchObject({ ok: true })
  expect(library.refresh.mock.calls).toEqual([[{ refresh_token: 'refresh of Mallory' }]])
  expect(ended).toEqual(['of Ann'])
})

it('declining an offered session ends it on the server, and leaves the present one', async () => {
  const offered = await offer(MALLORY, null)
  await offered!.decline()
  expect(ended).toEqual(['of Mallory'])
  expect(library.refresh).not.toHaveBeenCalled()
  isReachable = false
  await expect(offered!.decline()).resolves.toBeUndefined()
})

it('a session that cannot be stored leaves the present one', async () => {
  const offered = await offer(MALLORY, null)
  library.refresh.mockResolvedValue({
    error: Object.assign(new Error('Session expired'), { code: 'session_expired', status: 400 }),
  })
  expect(await offered!.accept()).toMatchObject({ ok: false })
  expect(ended).toEqual([])
})

it.each([
  ['the account that the page has named', ANN, 'Mallory@Example.com', {}],
  ['any account that this browser requested while nobody was signed in', null, null, { requestedHere: true }],
  ['the signed-in account', { ...ANN, user: { id: 'mallory' } }, null, {}],
])('the session of %s is stored at once', async (_, present, named, o) => {
  library.present = present
  expect(await offer(MALLORY, named, o)).toBeNull()
  expect(library.refresh).toHaveBeenCalledOnce()
  // Another session of the same account is not ended: it may be of another device.
  expect(ended).toEqual(present?.user.id === 'ann' ? ['of Ann'] : [])
})
