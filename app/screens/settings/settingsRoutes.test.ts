import { i18n } from '@lingui/core'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Workspace, WorkspaceRole } from '../../../wire/people.ts'
import type { Me } from '../../features/parts/members/MeContext.ts'
import { SETTINGS } from './settingsRoutes.ts'

// Its editor needs a browser.
vi.mock('../conversation/Panes.tsx', () => ({ default: () => null }))

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))

const me = (role: WorkspaceRole): Me => ({
  profile: { id: 'a' } as Me['profile'],
  role,
  email: null,
  workspace: { id: 'w', name: 'Harbour' } as Workspace,
})
const forWorkspace = SETTINGS.filter(({ group }) => group === 'workspace')

describe('settings', () => {
  it('are the routes of the settings that have a title', () => {
    expect(SETTINGS.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/settings/profile', '/settings/bots']),
    )
    for (const { path, title } of SETTINGS) expect([path, title()]).not.toContain('')
    expect(new Set(SETTINGS.map(({ title }) => title())).size).toBe(SETTINGS.length)
  })

  it('of the workspace are for owners and admins', () => {
    const pathsFor = (role: WorkspaceRole) =>
      forWorkspace.filter((route) => route.isFor(me(role))).map(({ path }) => path)
    expect(forWorkspace.length).toBeGreaterThan(10)
    expect(pathsFor('owner')).toHaveLength(forWorkspace.length)
    const ofOwners = new Set(['/settings/server', '/settings/archive'])
    expect(pathsFor('admin')).toEqual(pathsFor('owner').filter((path) => !ofOwners.has(path)))
    expect(pathsFor('member')).toEqual(['/settings/groups'])
    expect(pathsFor('guest')).toEqual([])
  })

  it('of the user are for everyone', () => {
    const own = SETTINGS.filter(({ group }) => group === 'own')
    expect(own.length).toBeGreaterThan(5)
    for (const route of own) expect(route.isFor(me('guest'))).toBe(true)
  })
})
