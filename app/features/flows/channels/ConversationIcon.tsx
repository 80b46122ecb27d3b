import { i18n } from '@lingui/core'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import Users from 'lucide-react/icons/users'
import type { SidebarItem } from '../../../data/channels/channels.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { AvatarWithPresence } from '../../parts/members/avatar/AvatarWithPresence.tsx'
import { presenceLabel } from '../../parts/members/presenceLabel.ts'

/** The icon of a conversation in a list; for a direct conversation, the avatar of the other person. */
export function ConversationIcon({ item }: { item: SidebarItem }) {
  const [person] = item.people
  if (item.kind === 'public') return <Icon of={Hash} />
  if (item.kind === 'private') return <Icon of={Lock} label={i18n._('private')} />
  if (item.selfDirect) return <Icon of={NotebookPen} />
  if (item.kind === 'group' || !person) return <Icon of={Users} />
  const presence = item.presence ?? 'offline'
  return (
    <AvatarWithPresence
      id={person.id}
      name={person.name}
      presence={presence}
      label={presenceLabel(presence)}
    />
  )
}
