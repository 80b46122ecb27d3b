import { i18n } from '@lingui/core'
import Menu from '../../../../ui/Menu.tsx'
import type { Point } from '../../../../ui/useLongPress.ts'
import { useAllItems, type MessageTarget } from './useMenuItems.tsx'
import { useMessageActions } from './useMessageActions.ts'

interface Props extends MessageTarget {
  at: Point
  /** The message's row: focus returns to it. */
  anchor: HTMLElement
  onClose: () => void
}

/** All actions of a message, at the pointer. */
export default function MessageMenu({ at, anchor, onClose, ...target }: Props) {
  const actions = useMessageActions(target.message, target.scope)
  const items = useAllItems(target, actions, () => openPicker(anchor, 10))
  return <Menu label={i18n._('Message actions')} items={items} anchor={anchor} at={at} onClose={onClose} />
}

/** The emoji picker belongs to the toolbar, which is rendered a few frames after the row is focused. */
function openPicker(row: HTMLElement, tries: number) {
  const button = row.querySelector<HTMLElement>('[data-react]')
  if (button) button.click()
  else if (tries > 0) requestAnimationFrame(() => openPicker(row, tries - 1))
}
