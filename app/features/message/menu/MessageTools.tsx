import { i18n } from '@lingui/core'
import { useCallback, useState } from 'react'
import type { Message } from '../../../../wire/linnet.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { MenuButton } from '../../../ui/MenuButton.tsx'
import { EmojiButton } from '../reactions/EmojiButton.tsx'
import { Copy, Ellipsis, Link2, MailOpen, MessageSquare, Pencil, SmilePlus, Trash2 } from '../icons.ts'
import styles from './MessageTools.module.css'
import type { MessageDeeds } from './useMessageDeeds.ts'

interface Props {
  message: Message
  deeds: MessageDeeds
  mine: boolean
  mayPost: boolean
  /** In a thread there is nothing to reply to: the composer below does it. */
  inThread: boolean
  onEdit: () => void
  /** A board or menu hangs on the tools: keep them shown. */
  onHold: (held: boolean) => void
}

/** What can be done to the message under the pointer or the focus. */
export default function MessageTools({ message, deeds, mine, mayPost, inThread, onEdit, onHold }: Props) {
  const [held, setHeld] = useState(false)
  const hold = useCallback(
    (open: boolean) => {
      setHeld(open)
      onHold(open)
    },
    [onHold],
  )
  const more: MenuItem[] = []
  if (message.seq !== null)
    more.push({
      label: i18n._('Mark unread'),
      keys: 'U',
      icon: <Icon of={MailOpen} />,
      onSelect: deeds.markUnread,
    })
  more.push({ label: i18n._('Copy link'), icon: <Icon of={Link2} />, onSelect: deeds.copyLink })
  if (message.body)
    more.push({ label: i18n._('Copy text'), icon: <Icon of={Copy} />, onSelect: deeds.copyText })
  if (mine) {
    more.push({
      label: i18n._('Delete message'),
      icon: <Icon of={Trash2} />,
      onSelect: deeds.remove,
      apart: true,
    })
  }
  return (
    <div className={styles.tools} role="group" aria-label={i18n._('Message actions')} data-held={held}>
      {mayPost ? (
        <EmojiButton
          label={i18n._('Add a reaction')}
          keys="+"
          icon={SmilePlus}
          onPick={deeds.react}
          onOpen={hold}
        />
      ) : null}
      {inThread ? null : (
        <IconButton
          label={i18n._('Reply in thread')}
          keys="R"
          icon={<Icon of={MessageSquare} />}
          onClick={deeds.reply}
        />
      )}
      {mine && mayPost ? (
        <IconButton label={i18n._('Edit message')} keys="E" icon={<Icon of={Pencil} />} onClick={onEdit} />
      ) : null}
      <MenuButton label={i18n._('More actions')} icon={<Icon of={Ellipsis} />} items={more} onOpen={hold} />
    </div>
  )
}
