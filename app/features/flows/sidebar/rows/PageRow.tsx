import type { ComponentProps } from 'react'
import { pathTo, type PlainPageName } from '../../../../paths.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { usePage } from '../../../../ui/pageAddress.ts'
import { SidebarLink } from './SidebarLink.tsx'
import styles from './SidebarRow.module.css'

interface Props {
  page: PlainPageName
  icon: ComponentProps<typeof Icon>['of']
  name: string
  unread: ComponentProps<typeof SidebarLink>['unread']
}

/** The link to a page in the sidebar, with what is new there. */
export function PageRow({ page, icon, name, unread }: Props) {
  const isCurrent = usePage()?.name === page
  return (
    <div className={styles.line}>
      <SidebarLink
        href={pathTo(page)}
        isCurrent={isCurrent}
        icon={<Icon of={icon} />}
        name={name}
        unread={unread}
      />
    </div>
  )
}
