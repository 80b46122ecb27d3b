import { i18n } from '@lingui/core'
import { beforeEach, expect, it, vi } from 'vitest'
import { toBase64url } from '../client/base64url.ts'
import type { Factor } from './ownAccount.ts'
import { signInMethods } from './signInMethods.ts'
import { reauthenticateByPassword, reauthenticationMethods } from './reauthenticationMethods.ts'

const tokenOf = (amr: object[]) =>
  `head.${toBase64url(new TextEncoder().encode(JSON.stringify({ amr })).buffer)}.signature`
const signedInAt = 1_800_000_000
let amr: object[] = []
/** Responses of the auth service by path. */
let responses: Record<string, unknown> = {}
const requests: string[] = []
const adopt = vi.fn<(session: { refresh_token: string }) => void>()

vi.mock(import('../client/getClient.ts'), () => ({
  getClient: () =>
    Promise.resolve({
      auth: {
        getSession: () =>
          Promise.resolve({ data: { session: { user: { id: 'ann' }, access_token: tokenOf(amr) } } }),
      },
    }) as never,
}))
vi.mock(import('../client/requestAuth.ts'), () => ({
  requestAuth: ((path: string) => {
    requests.push(path)
    return Promise.resolve({ ok: true, value: responses[path] })
  }) as never,
  adoptSession: ((session: { refresh_token: string }) => {
    adopt(session)
    return Promise.resolve({ ok: true, value: undefined })
  }) as never,
}))
vi.mock(import('../client/settings.ts'), () => ({
  loadSettings: () => Promise.resolve({ url: 'https://linnet.example', key: 'public' }) as never,
}))
vi.mock(import('../push/watchPush.ts'), () => ({ renewRegistration: () => Promise.resolve() }) as never)

const factor = (id: string, secondsAfterSignIn: number, more: Partial<Factor> = {}): Factor => ({
  id,
  factor_type: 'totp',
  status: 'verified',
  created_at: new Date((signedInAt + secondsAfterSignIn) * 1000).toISOString(),
  ...more,
})
const ended = vi.fn<(token: string | null) => void>()

beforeEach(() => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  amr = [{ method: 'otp', timestamp: signedInAt }]
  responses = { user: { email: 'ann@harbour.example' }, settings: {} }
  requests.length = 0
  adopt.mockClear()
  ended.mockClear()
  vi.stubGlobal('fetch', (url: string, { headers }: { headers: { authorization: string } }) => {
    if (url.includes('/logout')) ended(headers.authorization)
    return Promise.resolve(Response.json({}))
  })
})

it('an account with second factors uses one of those that are older than the session', async () => {
  amr.unshift({ method: 'totp', timestamp: signedInAt + 60 })
  responses['user'] = {
    email: 'ann@harbour.example',
    factors: [
      factor('key', -60, { factor_type: 'webauthn' }),
      factor('app', -60),
      factor('new', 30),
      factor('unfinished', -90, { status: 'unverified' }),
    ],
  }
  const methods = await reauthenticationMethods.load()
  expect(methods).toMatchObject({ ok: true, value: { methods: [], codeAddress: null } })
  expect(methods.ok && methods.value.factors.map(({ id }) => id)).toEqual(['app', 'key'])
})

it('an account without second factors signs in again, by the method of the session first', async () => {
  expect(await reauthenticationMethods.load()).toMatchObject({
    ok: true,
    value: { factors: [], methods: ['code', 'password'], codeAddress: { email: 'ann@harbour.example' } },
  })
  amr = [{ method: 'password', timestamp: signedInAt }]
  expect(await reauthenticationMethods.load()).toMatchObject({
    ok: true,
    value: { methods: ['password', 'code'] },
  })
  responses['user'] = { phone: '49151' }
  expect(await reauthenticationMethods.load()).toMatchObject({
    ok: true,
    value: { methods: ['code'], codeAddress: { phone: '49151' } },
  })
})

it('the dialog offers no code if the server sends none, and no password if passwords are off', async () => {
  responses['settings'] = { mailer_codes_disabled: true }
  signInMethods.invalidate()
  expect(await reauthenticationMethods.load()).toMatchObject({
    ok: true,
    value: { methods: ['password'], codeAddress: null },
  })
})

it('signing in again replaces the session, and ends the one before', async () => {
  responses['token?grant_type=password'] = { user: { id: 'ann' }, access_token: 'new', refresh_token: 'next' }
  expect(await reauthenticateByPassword('Ann@Harbour.example', 'secret')).toMatchObject({ ok: true })
  expect(adopt).toHaveBeenCalledWith(expect.objectContaining({ refresh_token: 'next' }))
  await vi.waitUntil(() => ended.mock.calls.length > 0)
  expect(ended.mock.calls).toEqual([[`Bearer ${tokenOf(amr)}`]])
})

it('the session of another account is ended and does not replace the present one', async () => {
  responses['token?grant_type=password'] = {
    user: { id: 'bea' },
    access_token: 'other',
    refresh_token: 'next',
  }
  expect(await reauthenticateByPassword('ann@harbour.example', 'secret')).toMatchObject({
    ok: false,
    failure: { name: 'other_account' },
  })
  expect(adopt).not.toHaveBeenCalled()
  expect(ended.mock.calls).toEqual([['Bearer other']])
})
