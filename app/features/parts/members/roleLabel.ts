import { i18n } from '@lingui/core'
import type { Member, WorkspaceRole } from '../../../../wire/people.ts'

/** A member's role: "Owner", "Guest", "Former member". */
export function roleLabel({ role, state, profile }: Member): string {
  if (state === 'deactivated') return i18n._('Former member')
  if (profile.kind === 'bot') return i18n._('Bot')
  if (profile.kind === 'imported') return i18n._('Imported person')
  return workspaceRoleLabel(role)
}

/** A role in words, whatever the state of the membership. */
export function workspaceRoleLabel(role: WorkspaceRole): string {
  switch (role) {
    case 'owner':
      return i18n._('Owner')
    case 'admin':
      return i18n._('Admin')
    case 'member':
      return i18n._('Member')
    case 'guest':
      return i18n._('Guest')
  }
}
