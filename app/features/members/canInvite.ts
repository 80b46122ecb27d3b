import type { WorkspaceRole } from '../../../wire/people.ts'

/** Whether `create_invitation` accepts a caller with this role. */
export function canInvite(role: WorkspaceRole): boolean {
  return role === 'owner' || role === 'admin'
}
