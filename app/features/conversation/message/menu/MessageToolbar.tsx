import { i18n } from '@lingui/core'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { MenuButton } from '../../../../ui/MenuButton.tsx'
import { EmojiButton } from '../../../parts/emoji/EmojiButton.tsx'
import { frequentEmoji } from '../../../parts/emoji/recentEmoji.ts'
import { withEmoji } from '../../../parts/emoji/EmojiText.tsx'
import { isMessageKey, type MessageKey } from '../../../parts/shortcuts/useShortcuts.ts'
import { Ellipsis, MessageSquare, Pencil, SmilePlus } from '../../../parts/icons.ts'
import styles from './MessageToolbar.module.css'
import { useRangeKeys, useMessageSelection } from '../selection/useMessageSelection.ts'
import { useMoreItems, type MessageTarget } from './useMenuItems.tsx'
import { recordLastMoved } from './recordLastMoved.ts'
import { useMessageActions } from './useMessageActions.ts'
import { shortcutKey } from '../../../../ui/shortcutKey.ts'
import { TOUCH, useMedia } from '../../../../ui/useMedia.ts'
import type { Message } from '../../../../../wire/messages.ts'

recordLastMoved()

export interface MessageToolbarProps extends MessageTarget {
  /** The picker or menu of the toolbar is open: the toolbar must stay. */
  onOpenChange: (isOpen: boolean) => void
}

/** Actions of the hovered or focused message, and their keys. */
export function MessageToolbar({ onOpenChange, ...target }: MessageToolbarProps) {
  const { message, scope, isOwn, mayPost, onEdit } = target
  const actions = useMessageActions(message, scope)
  const [isOpen, setOpen] = useState(false)
  const more = useMoreItems(target, actions, isOpen)
  const tools = useRef<HTMLDivElement>(null)
  const changeOpen = useCallback(
    (open: boolean) => {
      setOpen(open)
      onOpenChange(open)
    },
    [onOpenChange],
  )
  const edit = isOwn && mayPost ? () => onEdit(message.id) : null
  const reply = scope === 'channel' ? actions.reply : null
  const byKey: Record<MessageKey, (() => void) | null> = {
    e: edit,
    r: reply,
    u: actions.markUnread,
    a: actions.save,
    x: actions.select,
    '+': () => tools.current?.querySelector<HTMLElement>('[data-react]')?.click(),
  }
  const onKey = (key: string): boolean => {
    const action = isMessageKey(key) ? byKey[key] : null
    action?.()
    return Boolean(action)
  }

  useRangeKeys(tools, useMessageSelection(message, scope))

  // Keys are handled here and not in the row: actions are loaded with the toolbar, which is rendered while the row is
  // focused.
  useEffect(() => {
    const row = tools.current?.closest('article')
    function onKeyDown(event: KeyboardEvent) {
      if (event.target !== row || event.metaKey || event.ctrlKey || event.altKey) return
      if (onKey(shortcutKey(event))) event.preventDefault()
    }
    row?.addEventListener('keydown', onKeyDown)
    return () => row?.removeEventListener('keydown', onKeyDown)
  })

  // Handles a key that was pressed before the toolbar was loaded.
  const runEarlyKey = useEffectEvent(() => {
    const row = tools.current?.closest('article')
    const key = row?.dataset.key
    row?.removeAttribute('data-key')
    if (key && row === document.activeElement) onKey(key)
  })
  useEffect(() => runEarlyKey(), [])

  return (
    <div
      ref={tools}
      className={styles.toolbar}
      data-tools
      role="group"
      aria-label={i18n._('Message actions')}
      data-open={isOpen}
    >
      {mayPost ? <QuickReactions message={message} onReact={actions.react} /> : null}
      {mayPost ? (
        <EmojiButton
          label={i18n._('Add a reaction')}
          keys="+"
          icon={SmilePlus}
          onPick={actions.react}
          onOpen={changeOpen}
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
      <MenuButton
        label={i18n._('More actions')}
        icon={<Icon of={Ellipsis} />}
        items={more}
        onOpen={changeOpen}
      />
    </div>
  )
}

/** The frequent emoji, each as a button. Touch devices have them in the menu of the message. */
function QuickReactions({ message, onReact }: { message: Message; onReact: (emoji: string) => void }) {
  const isTouch = useMedia(TOUCH)
  // The order remains while the toolbar is open.
  const [emoji] = useState(() => frequentEmoji(3))
  if (isTouch) return null
  return emoji.map((one) => (
    <IconButton
      key={one}
      label={i18n._('React with {emoji}', { emoji: one })}
      icon={<span className={styles.emoji}>{withEmoji(one)}</span>}
      aria-pressed={message.reactions.some((reaction) => reaction.emoji === one && reaction.mine === true)}
      onClick={() => onReact(one)}
    />
  ))
}
