import { i18n } from '@lingui/core'
import { deleteSection } from '../../../../data/sidebar/sidebarCommands.ts'
import Menu from '../../../../ui/Menu.tsx'
import type { MenuItem } from '../../../../ui/Menu.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { nextSectionIndex } from '../drag/nextPosition.ts'
import { moveSectionToPosition } from '../drag/moveToPosition.ts'
import { useToastOnError } from '../../../parts/toasts/useToastOnError.ts'
import type { SidebarMenuProps } from './SidebarMenuProps.ts'

/** Renames, moves and deletes one of the user's own sections. */
export function SectionMenu({ id, anchor, at, groups, onClose }: SidebarMenuProps) {
  const open = useOverlay()
  const runWithToast = useToastOnError()
  const showToast = useToast()
  const section = groups.find((group) => group.key === id)?.section
  if (!section) return null
  const items: MenuItem[] = [
    { label: i18n._('Rename'), onSelect: () => open({ kind: 'section', id, name: section.name }) },
  ]
  const up = nextSectionIndex(groups, id, -1)
  const down = nextSectionIndex(groups, id, 1)
  const move = (index: number) => () => moveSectionToPosition({ groups, runWithToast }, id, index)
  if (up !== null) items.push({ label: i18n._('Move up'), keys: 'Alt Shift ↑', onSelect: move(up) })
  if (down !== null) items.push({ label: i18n._('Move down'), keys: 'Alt Shift ↓', onSelect: move(down) })
  items.push({
    label: i18n._('Delete section'),
    isDestructive: true,
    separated: true,
    onSelect: () => {
      runWithToast(() => deleteSection(id))
      showToast({ text: i18n._('Section deleted. Its conversations are back in their default groups.') })
    },
  })
  return <Menu label={section.name} isTitled items={items} anchor={anchor} at={at} onClose={onClose} />
}
