import { i18n } from '@lingui/core'
import type { AdministeredPerson, WorkspaceRole } from '../../../../../wire/people.ts'
import { workspaceRoleLabel } from '../../../parts/members/roleLabel.ts'

/** A role, or what else owners and admins can change of a person. */
export type PersonAction =
  | WorkspaceRole
  | 'access'
  | 'correct_address'
  | 'sign_out'
  | 'deactivate'
  | 'reactivate'
  | 'remove'
  | 'end_integrations'
  | 'erase'

const ORDER: readonly WorkspaceRole[] = ['guest', 'member', 'admin', 'owner']

/** Whether a role permits changing people who have another one. */
export const isBelow = (role: WorkspaceRole, mine: WorkspaceRole): boolean =>
  ORDER.indexOf(role) < ORDER.indexOf(mine) && (mine === 'owner' || mine === 'admin')

/** What the user may do with all of these people; the server checks it again. */
export function personActions(
  people: readonly AdministeredPerson[],
  mine: WorkspaceRole,
): { action: PersonAction; label: string }[] {
  if (people.length === 0 || !people.every(({ role }) => isBelow(role, mine))) return []
  const areActive = people.every(({ state }) => state === 'active')
  const areFormer = people.every(({ state }) => state !== 'active')
  const single = people.length === 1 ? people[0] : undefined
  const found: { action: PersonAction; label: string }[] = []
  if (areActive) {
    for (const role of ORDER) {
      const isPermitted =
        (mine === 'owner' || isBelow(role, 'admin')) &&
        people.every((one) => one.role !== role && (one.role !== 'guest' || role === 'member'))
      if (isPermitted)
        found.push({
          action: role,
          label: i18n._('Change role to {role}', { role: workspaceRoleLabel(role) }),
        })
    }
    if (single?.role === 'guest') found.push({ action: 'access', label: i18n._('Guest access') })
    if (single?.has_account && single.seen_at === null)
      found.push({ action: 'correct_address', label: i18n._('Correct email address') })
    if (people.every(({ has_account, seen_at }) => has_account && seen_at !== null))
      found.push({ action: 'sign_out', label: i18n._('Sign out of all devices') })
    found.push({ action: 'deactivate', label: i18n._('Deactivate') })
  }
  if (people.every(({ state, has_account }) => state === 'deactivated' && has_account))
    found.push({ action: 'reactivate', label: i18n._('Reactivate') })
  if (people.every(({ state }) => state === 'active' || state === 'deactivated'))
    found.push({ action: 'remove', label: i18n._('Remove from workspace') })
  if (people.some(({ integrations }) => integrations > 0))
    found.push({ action: 'end_integrations', label: i18n._('End integrations') })
  if (mine === 'owner' && single && areFormer)
    found.push({ action: 'erase', label: i18n._('Erase personal data') })
  return found
}
