import { i18n } from '@lingui/core'
import { beforeEach, expect, it, vi } from 'vitest'
import { callCommand } from './callCommand.ts'
import { endReauthentication, isReauthenticating, onReauthentication } from './reauthentication.ts'

const responses: object[] = []
const send = vi.fn<() => object>(() => responses.shift()!)
vi.mock(import('./getClient.ts'), () => ({
  getClient: () => Promise.resolve({ rest: { rpc: () => ({ retry: send }) } }) as never,
}))

const refused = { error: { message: 'reauthentication_required', code: 'PT403' }, data: null, status: 403 }
const done = { error: null, data: { id: 'a' }, status: 200 }
const remove = () => callCommand('delete_channel', { channel: 'a', name: 'a' })

beforeEach(() => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  responses.length = 0
  send.mockClear()
})

it('a command that needs a recent authentication is sent again once the user has authenticated', async () => {
  responses.push(refused, done)
  const outcome = remove()
  await vi.waitUntil(isReauthenticating)
  expect(send).toHaveBeenCalledTimes(1)
  endReauthentication(true)
  expect(await outcome).toEqual({ ok: true, value: { id: 'a' } })
  expect(send).toHaveBeenCalledTimes(2)
  expect(isReauthenticating()).toBe(false)
})

it('a command fails with a sentence if the user closes the dialog, and is not sent again', async () => {
  responses.push(refused)
  const outcome = remove()
  await vi.waitUntil(isReauthenticating)
  endReauthentication(false)
  expect(await outcome).toMatchObject({
    ok: false,
    failure: {
      name: 'reauthentication_required',
      message: 'Nothing was changed, because you didn’t confirm that it’s you.',
    },
  })
  expect(send).toHaveBeenCalledTimes(1)
})

it('a command that is refused again fails', async () => {
  responses.push(refused, refused)
  const outcome = remove()
  await vi.waitUntil(isReauthenticating)
  endReauthentication(true)
  expect(await outcome).toMatchObject({ ok: false, failure: { name: 'reauthentication_required' } })
  expect(send).toHaveBeenCalledTimes(2)
})

it('commands that are refused together wait for one dialog', async () => {
  responses.push(refused, refused, done, done)
  const seen: boolean[] = []
  const stop = onReauthentication(() => seen.push(isReauthenticating()))
  const outcomes = Promise.all([remove(), remove()])
  await vi.waitUntil(() => seen.length === 2)
  endReauthentication(true)
  stop()
  expect((await outcomes).map(({ ok }) => ok)).toEqual([true, true])
  expect(seen).toEqual([true, true, false])
})
