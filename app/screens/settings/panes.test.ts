import { describe, expect, it } from 'vitest'
import type { Workspace, WorkspaceRole } from '../../../wire/people.ts'
import type { Me } from '../../features/members/MeContext.ts'
import { OWN_SECTIONS, sectionOf } from './own/ownSections.ts'
import { findPane, SETTINGS_PANES } from './panes.ts'

const me = (role: WorkspaceRole): Me => ({
  profile: { id: 'a' } as Me['profile'],
  role,
  email: null,
  workspace: { id: 'w', name: 'Harbour' } as Workspace,
})

describe('panes of the settings', () => {
  it('are found by their path, with the item that follows it', () => {
    for (const { path } of SETTINGS_PANES) expect(findPane(path, me('owner'))?.pane.path).toBe(path)
    expect(findPane('/settings/bots/42', me('admin'))).toMatchObject({
      pane: { path: '/settings/bots' },
      item: '42',
    })
    for (const path of ['/settings', '/settings/audit/1', '/settings/unknown'])
      expect(findPane(path, me('owner'))).toBeNull()
  })

  it('of the workspace are for owners and admins', () => {
    const pathsFor = (role: WorkspaceRole) =>
      SETTINGS_PANES.filter(({ path }) => findPane(path, me(role))).map(({ path }) => path)
    for (const role of ['owner', 'admin'] as const) expect(pathsFor(role)).toHaveLength(SETTINGS_PANES.length)
    expect(pathsFor('member')).toEqual(['/settings/groups'])
    expect(pathsFor('guest')).toEqual([])
  })

  it('have other paths than the sections of the own settings, and an unknown path opens the first of these', () => {
    for (const { path } of OWN_SECTIONS) {
      expect(findPane(path, me('owner'))).toBeNull()
      expect(sectionOf(path).path).toBe(path)
    }
    for (const path of ['/settings/audit', '/settings/unknown']) expect(sectionOf(path)).toBe(OWN_SECTIONS[0])
  })
})
