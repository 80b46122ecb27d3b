import type { SideGroup } from '../../../data/sidebar/sections.ts'
import type { MenuRequest } from '../useSidebarGestures.ts'
import { RowMenu } from './RowMenu.tsx'
import { SectionMenu } from './SectionMenu.tsx'

export interface SidebarMenuProps extends MenuRequest {
  groups: readonly SideGroup[]
  openId: string | null
  onClose: () => void
}

/** The context menu of a row or a section. */
export default function SidebarMenu(props: SidebarMenuProps) {
  return props.kind === 'row' ? (
    <RowMenu key={props.id} {...props} />
  ) : (
    <SectionMenu key={props.id} {...props} />
  )
}
