import type { ComponentProps } from 'react'
import { PageRow } from './PageRow.tsx'

interface Props extends Pick<ComponentProps<typeof PageRow>, 'page' | 'icon' | 'name'> {
  count: number
  /** What the count counts, for screen readers. */
  label: string
  /** Something needs the user's attention. */
  isAlert?: boolean
}

/** The link to a page in the sidebar, with the number of items there. */
export function CountRow({ page, icon, name, count, label, isAlert = false }: Props) {
  const badge = isAlert ? String(count) : null
  const shown = isAlert || count === 0 ? null : String(count)
  return (
    <PageRow
      page={page}
      icon={icon}
      name={name}
      unread={{ bold: isAlert, count: shown, badge, label: count === 0 ? '' : label }}
    />
  )
}
