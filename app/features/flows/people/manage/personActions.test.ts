import { i18n } from '@lingui/core'
import { beforeAll, expect, it } from 'vitest'
import type { AdministeredPerson, WorkspaceRole } from '../../../../../wire/people.ts'
import { personActions } from './personActions.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))

const person = (role: WorkspaceRole, state: AdministeredPerson['state'] = 'active') =>
  ({ role, state, has_account: true, integrations: 0, seen_at: '2026-11-01T00:00:00Z' }) as AdministeredPerson
const actions = (mine: WorkspaceRole, ...people: AdministeredPerson[]) =>
  personActions(people, mine).map(({ action }) => action)

it('members and guests may change nobody, and nobody a person who is not below them', () => {
  for (const mine of ['member', 'guest'] as const) expect(actions(mine, person('guest'))).toEqual([])
  expect(actions('admin', person('admin'))).toEqual([])
  expect(actions('owner', person('owner'))).toEqual([])
  expect(actions('admin', person('member'), person('admin'))).toEqual([])
})

it('an admin makes guests members, an owner also appoints admins and owners', () => {
  expect(actions('admin', person('guest'))).toEqual(['member', 'access', 'sign_out', 'deactivate', 'remove'])
  expect(actions('owner', person('member'))).toEqual([
    'guest',
    'admin',
    'owner',
    'sign_out',
    'deactivate',
    'remove',
  ])
})

it('who is deactivated comes back or is removed; only owners erase a former member', () => {
  expect(actions('admin', person('member', 'deactivated'))).toEqual(['reactivate', 'remove'])
  expect(actions('admin', person('member', 'removed'))).toEqual([])
  expect(actions('owner', person('member', 'removed'))).toEqual(['erase'])
  expect(actions('owner', person('member', 'removed'), person('guest', 'left'))).toEqual([])
})

it('what people have created can be ended, also after they were removed, by somebody above them', () => {
  const creator = (role: WorkspaceRole, state: AdministeredPerson['state']) => ({
    ...person(role, state),
    integrations: 2,
  })
  expect(actions('owner', creator('admin', 'active'), person('member'))).toContain('end_integrations')
  expect(actions('owner', creator('admin', 'removed'))).toEqual(['end_integrations', 'erase'])
  expect(actions('admin', creator('member', 'active'))).toContain('end_integrations')
  expect(actions('admin', creator('admin', 'active'))).toEqual([])
})

it('an account that nobody has used gets another address, and has no sessions to end', () => {
  const unused = { ...person('member'), seen_at: null }
  expect(actions('admin', unused)).toEqual(['guest', 'correct_address', 'deactivate', 'remove'])
  expect(actions('admin', unused, person('member'))).not.toContain('correct_address')
  expect(actions('admin', person('member'))).not.toContain('correct_address')
})
