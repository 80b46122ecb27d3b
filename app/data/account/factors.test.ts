import { expect, test, vi } from 'vitest'
import { success, type Failure, type Outcome } from '../failures/failures.ts'
import { enrollPhone } from './factors.ts'
import type { Factor } from './ownAccount.ts'

const server = vi.hoisted(() => ({ factors: [] as Factor[], beforeEnrollment: () => {} }))

/** A server with one user, whose factors have unique names. */
vi.mock('../client/requestAuth.ts', () => ({
  requestAuth: (path: string, request: { method?: string; body?: { friendly_name: string } } = {}) =>
    Promise.resolve(respond(path, request.method ?? 'GET', request.body?.friendly_name ?? '')),
}))

const conflict: Failure = { name: 'mfa_factor_name_conflict', message: '', isRetryable: false }

function respond(path: string, method: string, name: string): Outcome<unknown> {
  if (method === 'GET') return success({ factors: [...server.factors] })
  if (method === 'DELETE') {
    server.factors = server.factors.filter(({ id }) => path !== `factors/${id}`)
    return success(undefined)
  }
  server.beforeEnrollment()
  if (server.factors.some((factor) => factor.friendly_name === name)) return { ok: false, failure: conflict }
  server.factors.push(factor('new', 'unverified', name))
  return success({ id: 'new' })
}

const factor = (id: string, status: Factor['status'], friendly_name: string): Factor => ({
  id,
  factor_type: 'phone',
  status,
  friendly_name,
  created_at: '',
})

test('a factor replaces one that another page enrolls at the same time', async () => {
  server.factors = []
  server.beforeEnrollment = () => {
    server.factors.push(factor('other', 'unverified', '1'))
    server.beforeEnrollment = () => {}
  }
  expect(await enrollPhone('1', '+15550100')).toEqual(success('new'))
  expect(server.factors.map(({ id }) => id)).toEqual(['new'])
})

test('the name of an active factor is refused', async () => {
  server.factors = [factor('active', 'verified', '1')]
  expect(await enrollPhone('1', '+15550100')).toEqual({ ok: false, failure: conflict })
  expect(server.factors.map(({ id }) => id)).toEqual(['active'])
})
