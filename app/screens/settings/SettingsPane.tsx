import { Suspense } from 'react'
import { useLocation } from 'wouter'
import { useMe } from '../../features/members/MeContext.ts'
import { OwnSettings } from './own/OwnSettings.tsx'
import { findPane } from './panes.ts'

/** A pane for the workspace, or the page of the user's own settings. */
export default function SettingsPane() {
  const [path] = useLocation()
  const found = findPane(path, useMe())
  if (!found) return <OwnSettings path={path} />
  const { pane, item } = found
  return (
    <Suspense>
      <pane.Component key={`${pane.path} ${item}`} item={item} />
    </Suspense>
  )
}
