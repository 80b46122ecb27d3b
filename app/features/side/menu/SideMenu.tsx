import type { SideGroup } from '../../../data/sidebar/sections.ts'
import type { MenuAsked } from '../useSideHands.ts'
import { RowMenu } from './RowMenu.tsx'
import { SectionMenu } from './SectionMenu.tsx'

export interface SideMenuProps extends MenuAsked {
  groups: readonly SideGroup[]
  openId: string | null
  onClose: () => void
}

/** What may be done with a row or a section of the side. */
export default function SideMenu(props: SideMenuProps) {
  return props.kind === 'row' ? (
    <RowMenu key={props.id} {...props} />
  ) : (
    <SectionMenu key={props.id} {...props} />
  )
}
