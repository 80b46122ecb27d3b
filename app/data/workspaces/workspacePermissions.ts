import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Workspace, WorkspaceRole } from '../../../wire/people.ts'

/** Somebody in a workspace. */
interface Caller {
  role: WorkspaceRole
  workspace: Workspace
}

// These mirror the rules of the database, which decides. Controls without permission are hidden.

/** Whether this person is an owner or admin of the workspace. */
export function isOwnerOrAdmin({ role }: Pick<Caller, 'role'>): boolean {
  return role === 'owner' || role === 'admin'
}

/** Whether `create_invitation` accepts this person. */
export function canInvite(caller: Caller): boolean {
  return isOwnerOrAdmin(caller) || (caller.role === 'member' && caller.workspace.invitations_by === 'members')
}

/** Whether this person may create channels. */
export function canCreateChannels(caller: Caller): boolean {
  return isOwnerOrAdmin(caller) || (caller.role === 'member' && caller.workspace.channels_by !== 'admins')
}

/** Whether this person may add custom emoji. The author of one, owners and admins may change it. */
export function canAddEmoji(caller: Caller): boolean {
  return (
    isOwnerOrAdmin(caller) || (caller.role === 'member' && caller.workspace.custom_emoji_by === 'members')
  )
}

/** Whether this person may create and change groups. */
export function canManageUserGroups(caller: Caller): boolean {
  return isOwnerOrAdmin(caller) || (caller.role === 'member' && caller.workspace.groups_by === 'members')
}

/** Whether this person may mention everyone in a channel of the workspace, in which they have this role. */
export function canMentionEveryone(caller: Caller, channelRole: ChannelEntry['channel_role']): boolean {
  const by = caller.workspace.mention_everyone_by
  if (isOwnerOrAdmin(caller) || by === undefined) return true
  return by === 'admins' ? channelRole === 'admin' : caller.role !== 'guest'
}

/** Whether this person may see earlier versions of messages of others. */
export function canSeeEdits(caller: Caller): boolean {
  const by = caller.workspace.edit_history_by
  return by !== undefined && (isOwnerOrAdmin(caller) || (by === 'members' && caller.role === 'member'))
}

/** Whether this person may delete a channel that they read, in which they have this role. */
export function canDeleteChannel(caller: Caller, channelRole: ChannelEntry['channel_role']): boolean {
  const by = caller.workspace.deletions_by
  if (caller.role === 'guest' || by === 'authors') return false
  return isOwnerOrAdmin(caller) || (by === undefined && channelRole === 'admin')
}
