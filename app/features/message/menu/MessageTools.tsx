import { i18n } from '@lingui/core'
import { useCallback, useState } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { MenuButton } from '../../../ui/MenuButton.tsx'
import { EmojiButton } from '../reactions/emoji/EmojiButton.tsx'
import { Ellipsis, MessageSquare, Pencil, SmilePlus } from '../icons.ts'
import styles from './MessageTools.module.css'
import { useMoreItems, type Reach } from './useMenuItems.tsx'

interface Props extends Reach {
  onEdit: () => void
  /** A board or menu hangs on the tools: keep them shown. */
  onHold: (held: boolean) => void
}

/** What can be done to the message under the pointer or the focus. */
export default function MessageTools({ onEdit, onHold, ...reach }: Props) {
  const { deeds, mine, mayPost, inThread } = reach
  const [held, setHeld] = useState(false)
  const more = useMoreItems(reach, held)
  const hold = useCallback(
    (open: boolean) => {
      setHeld(open)
      onHold(open)
    },
    [onHold],
  )
  return (
    <div className={styles.tools} role="group" aria-label={i18n._('Message actions')} data-held={held}>
      {mayPost ? (
        <EmojiButton
          label={i18n._('Add a reaction')}
          keys="+"
          icon={SmilePlus}
          onPick={deeds.react}
          onOpen={hold}
          data-react
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
