import { RowMenu } from './RowMenu.tsx'
import { SectionMenu } from './SectionMenu.tsx'
import type { SidebarMenuProps } from './SidebarMenuProps.ts'

/** The context menu of a row or a section. */
export default function SidebarMenu(props: SidebarMenuProps) {
  return props.kind === 'row' ? (
    <RowMenu key={props.id} {...props} />
  ) : (
    <SectionMenu key={props.id} {...props} />
  )
}
