import { i18n } from '@lingui/core'
import { Suspense, type CSSProperties } from 'react'
import { useDevicePreference } from '../data/hooks/useDevicePreference.ts'
import type { PaneWidths } from '../devicePreferences.ts'
import { lazyComponent } from '../ui/lazyComponent.tsx'

const ResizeHandle = lazyComponent(() => import('../ui/ResizeHandle.tsx'))

type Name = keyof PaneWidths

/** The edge with the handle of each pane, and its widths in rem. The layout may leave less space. */
const PANES = {
  sidebar: { edge: 'end', range: [13, 26] },
  thread: { edge: 'start', range: [20, 44] },
} as const

/** The style of a pane with the width that was chosen on this device. */
export function usePaneWidth(name: Name): CSSProperties {
  const width = useDevicePreference('paneWidths')[0][name]
  return width === null ? {} : { width: `${width}rem` }
}

/** The edge of a pane, with which people choose its width. The pane has the style of `usePaneWidth`, and a position. */
export function PaneEdge({ name }: { name: Name }) {
  const [widths, setWidths] = useDevicePreference('paneWidths')
  const label = name === 'sidebar' ? i18n._('Width of the sidebar') : i18n._('Width of the thread')
  return (
    <Suspense>
      <ResizeHandle
        label={label}
        {...PANES[name]}
        onResize={(width) => setWidths({ ...widths, [name]: width })}
      />
    </Suspense>
  )
}
