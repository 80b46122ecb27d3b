import { beforeEach, expect, it, vi } from 'vitest'
import { success } from '../failures/failures.ts'
import { revokeOtherSessions } from './ownSessions.ts'

const { requests, sessions } = vi.hoisted(() => ({
  requests: [] as unknown[],
  sessions: { value: undefined as { id: string; current: boolean }[] | undefined },
}))

vi.mock(
  import('../client/callCommand.ts'),
  () =>
    ({
      callCommand: async (name: string, args: object) => {
        requests.push([name, args])
        return success(undefined)
      },
    }) as never,
)
vi.mock(
  import('../client/requestAuth.ts'),
  () =>
    ({
      requestAuth: async (path: string) => {
        requests.push([path])
        return success(undefined)
      },
    }) as never,
)
vi.mock(
  import('../queries/createQuery.ts'),
  () =>
    ({
      createQuery: () => ({ get: () => sessions.value }),
      refetchAfter: (outcome: unknown) => outcome,
    }) as never,
)

beforeEach(() => requests.splice(0))

it('ends the listed sessions by the command, which records the reason, before the auth service ends the rest', async () => {
  sessions.value = [
    { id: 'this', current: true },
    { id: 'phone', current: false },
    { id: 'tablet', current: false },
  ]
  expect((await revokeOtherSessions()).ok).toBe(true)
  expect(requests).toEqual([
    ['end_session', { id: 'phone' }],
    ['end_session', { id: 'tablet' }],
    ['logout?scope=others'],
  ])
})

it('ends all other sessions also before the list is known', async () => {
  sessions.value = undefined
  expect((await revokeOtherSessions()).ok).toBe(true)
  expect(requests).toEqual([['logout?scope=others']])
})
