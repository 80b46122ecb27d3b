import { i18n } from '@lingui/core'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { MenuButton } from '../../../ui/MenuButton.tsx'
import { EmojiButton } from '../reactions/emoji/EmojiButton.tsx'
import { Ellipsis, MessageSquare, Pencil, SmilePlus } from '../icons.ts'
import styles from './MessageTools.module.css'
import { useMoreItems, type Reach } from './useMenuItems.tsx'
import { useMessageDeeds } from './useMessageDeeds.ts'

interface Props extends Reach {
  /** A board or menu hangs on the tools: keep them shown. */
  onHold: (held: boolean) => void
}

/** What can be done to the message under the pointer or the focus, and the keys that do it. */
export default function MessageTools({ onHold, ...reach }: Props) {
  const { message, place, mine, mayPost, onEdit } = reach
  const deeds = useMessageDeeds(message, place)
  const [held, setHeld] = useState(false)
  const more = useMoreItems(reach, deeds, held)
  const tools = useRef<HTMLDivElement>(null)
  const hold = useCallback(
    (open: boolean) => {
      setHeld(open)
      onHold(open)
    },
    [onHold],
  )
  const edit = mine && mayPost ? () => onEdit(message.id) : null
  const reply = place === 'channel' ? deeds.reply : null
  const onKey = (key: string): boolean => {
    const deed = {
      e: edit,
      r: reply,
      u: deeds.markUnread,
      '+': () => tools.current?.querySelector<HTMLElement>('[data-react]')?.click(),
    }[key.toLowerCase()]
    deed?.()
    return Boolean(deed)
  }

  // The row itself knows no keys: its deeds are loaded with these tools, which stand while it is in focus.
  useEffect(() => {
    const row = tools.current?.closest('article')
    function pressed(event: KeyboardEvent) {
      if (event.target !== row || event.metaKey || event.ctrlKey || event.altKey) return
      if (onKey(event.key)) event.preventDefault()
    }
    row?.addEventListener('keydown', pressed)
    return () => row?.removeEventListener('keydown', pressed)
  })

  // Pressed while the tools were on their way.
  const early = useEffectEvent(() => {
    const row = tools.current?.closest('article')
    const key = row?.dataset.key
    delete row?.dataset.key
    if (key && row === document.activeElement) onKey(key)
  })
  useEffect(() => early(), [])

  return (
    <div
      ref={tools}
      className={styles.tools}
      data-tools
      role="group"
      aria-label={i18n._('Message actions')}
      data-held={held}
    >
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
      {reply ? (
        <IconButton
          label={i18n._('Reply in thread')}
          keys="R"
          icon={<Icon of={MessageSquare} />}
          onClick={reply}
        />
      ) : null}
      {edit ? (
        <IconButton label={i18n._('Edit message')} keys="E" icon={<Icon of={Pencil} />} onClick={edit} />
      ) : null}
      <MenuButton label={i18n._('More actions')} icon={<Icon of={Ellipsis} />} items={more} onOpen={hold} />
    </div>
  )
}
