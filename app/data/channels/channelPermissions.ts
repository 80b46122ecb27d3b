import { isChannel, type ChannelEntry } from '../../../wire/channels.ts'
import type { WorkspaceRole } from '../../../wire/people.ts'

/** What someone may do in a channel. Controls without permission are hidden; archived channels show a banner. */
export interface ChannelPermissions {
  /** Send messages, reactions and files. */
  post: boolean
  /** Join a public channel. */
  join: boolean
  leave: boolean
  /** Edit the topic: every member who may post can, and the channel shows a system message about it. */
  topic: boolean
  addPeople: boolean
  /** Change name, posting permission and visibility. */
  manage: boolean
  removePeople: boolean
  /** Make members admins of the channel. Anyone may where nobody manages it any more. */
  appoint: boolean
  archive: boolean
  /** Delete messages of other people. */
  deleteAny: boolean
}

/**
 * Mirrors `app.can_manage_channel`, `app.require_participant` and the commands in `supabase/schemas`, which decide.
 * `unmanaged`: no member of the channel can manage it.
 */
export function channelPermissions(
  { channel, member, channel_role }: Pick<ChannelEntry, 'channel' | 'member' | 'channel_role'>,
  role: WorkspaceRole | null,
  unmanaged = false,
): ChannelPermissions {
  const isNamed = isChannel(channel)
  const open = channel.archived_at === null
  const guest = role === null || role === 'guest'
  const isAdmin = channel_role === 'admin' || role === 'owner' || role === 'admin'
  const manages = member && isNamed && isAdmin
  const canEdit = member && isNamed && open && !guest
  return {
    post: member && open && (channel.posting === 'everyone' || isAdmin),
    join: !member && open && !guest && channel.kind === 'public',
    leave: member && isNamed,
    topic: canEdit && (channel.posting === 'everyone' || isAdmin),
    addPeople: canEdit,
    manage: canEdit && manages,
    removePeople: manages,
    appoint: canEdit && (manages || unmanaged),
    archive: manages,
    deleteAny: manages,
  }
}
