import { i18n } from '@lingui/core'
import Menu from '../../../ui/Menu.tsx'
import type { Point } from '../../../ui/useLongPress.ts'
import { useAllItems, type Reach } from './useMenuItems.tsx'

interface Props extends Reach {
  at: Point
  /** The message's row: focus goes back to it. */
  anchor: HTMLElement
  onEdit: () => void
  onClose: () => void
}

/** Everything that can be done to a message, where it was pressed. */
export default function MessageMenu({ at, anchor, onEdit, onClose, ...reach }: Props) {
  const items = useAllItems(reach, { onEdit, onReact: () => openBoard(anchor, 10) })
  return <Menu label={i18n._('Message actions')} items={items} anchor={anchor} at={at} onClose={onClose} />
}

/** The board of emoji hangs on the tools, which come with the row's focus: a few frames later. */
function openBoard(row: HTMLElement, tries: number) {
  const button = row.querySelector<HTMLElement>('[data-react]')
  if (button) button.click()
  else if (tries > 0) requestAnimationFrame(() => openBoard(row, tries - 1))
}
