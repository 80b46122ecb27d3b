import { i18n } from '@lingui/core'
import { Icon } from '../../../ui/Icon.tsx'
import Menu, { type MenuItem } from '../../../ui/Menu.tsx'
import { Copy, Pencil, Trash2 } from '../../parts/icons.ts'
import type { OpenMenu } from './menu/MessageMenu.tsx'
import { usePendingActions, type PendingProps } from './usePendingActions.ts'

interface Props extends PendingProps {
  menu: OpenMenu
  onClose: () => void
}

/** What can be done with a message before it is sent. */
export default function PendingMenu({ menu, onClose, ...props }: Props) {
  const { edit, copyText, discard } = usePendingActions(props)
  const items: MenuItem[] = []
  if (edit) items.push({ label: i18n._('Edit message'), icon: <Icon of={Pencil} />, onSelect: edit })
  if (copyText) items.push({ label: i18n._('Copy text'), icon: <Icon of={Copy} />, onSelect: copyText })
  items.push({
    label: i18n._('Discard'),
    icon: <Icon of={Trash2} />,
    onSelect: discard,
    isDestructive: true,
    separated: items.length > 0,
  })
  return <Menu label={i18n._('Message actions')} items={items} {...menu} onClose={onClose} />
}
