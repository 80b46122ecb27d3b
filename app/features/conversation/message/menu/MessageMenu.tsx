import { i18n } from '@lingui/core'
import { Suspense } from 'react'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import Menu from '../../../../ui/Menu.tsx'
import type { Point } from '../../../../ui/useLongPress.ts'
import { useAllItems, type MessageTarget } from './useMenuItems.tsx'
import { useMessageActions } from './useMessageActions.ts'

const EmojiPicker = lazyComponent(() => import('../../../parts/emoji/EmojiPicker.tsx'), { preload: true })

/** Where the menu of a message is open. */
export interface OpenMenu {
  /** The position of the pointer; absent if a button opened the menu. */
  at?: Point
  /** The message's row or the button: focus returns to it. */
  anchor: HTMLElement
  /** Whether the emoji picker has replaced the menu. */
  isPicking?: boolean
}

interface Props extends MessageTarget {
  menu: OpenMenu
  /** Changes the menu; null closes it. */
  onChange: (menu: OpenMenu | null) => void
}

/** All actions of a message, at the pointer. */
export default function MessageMenu({ menu, onChange, ...target }: Props) {
  const { at, anchor, isPicking = false } = menu
  const actions = useMessageActions(target.message, target.scope)
  const items = useAllItems(target, actions, () => onChange({ ...menu, isPicking: true }))
  const close = () => onChange(null)
  // The toolbar has a button for it, but not on touch screens.
  const button = anchor.querySelector<HTMLElement>('[data-react]')
  return isPicking ? (
    <Suspense>
      <EmojiPicker anchor={button ?? anchor} onPick={actions.react} onClose={close} />
    </Suspense>
  ) : (
    <Menu label={i18n._('Message actions')} items={items} anchor={anchor} at={at} onClose={close} />
  )
}
