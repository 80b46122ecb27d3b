import { i18n } from '@lingui/core'
import { deleteSection } from '../../../data/sidebar/sidebarCommands.ts'
import Menu from '../../../ui/Menu.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { stepOfSection } from '../moving/stepOf.ts'
import { putSection } from '../moving/work.ts'
import { useKeeping } from '../useKeeping.ts'
import type { SideMenuProps } from './SideMenu.tsx'

/** Rename, move and delete a section made by hand. */
export function SectionMenu({ id, anchor, at, groups, onClose }: SideMenuProps) {
  const open = useOverlay()
  const keeping = useKeeping()
  const notice = useNotice()
  const section = groups.find((group) => group.key === id)?.section
  if (!section) return null
  const items: MenuItem[] = [
    { label: i18n._('Rename'), onSelect: () => open({ kind: 'section', id, name: section.name }) },
  ]
  const up = stepOfSection(groups, id, -1)
  const down = stepOfSection(groups, id, 1)
  const move = (index: number) => () => putSection({ groups, keeping }, id, index)
  if (up !== null) items.push({ label: i18n._('Move up'), keys: 'Alt Shift ↑', onSelect: move(up) })
  if (down !== null) items.push({ label: i18n._('Move down'), keys: 'Alt Shift ↓', onSelect: move(down) })
  items.push({
    label: i18n._('Delete section'),
    apart: true,
    onSelect: () => {
      keeping(() => deleteSection(id))
      notice({ words: i18n._('Section deleted. Its conversations moved back to their default place.') })
    },
  })
  return <Menu label={section.name} items={items} anchor={anchor} at={at} onClose={onClose} />
}
