import { i18n } from '@lingui/core'
import { useDevicePreference } from '../data/hooks/useDevicePreference.ts'
import type { PaneWidths } from '../devicePreferences.ts'
import { ResizeHandle } from '../ui/ResizeHandle.tsx'

/** The edge with the handle of each pane, and its widths in rem. The layout may leave less space. */
const PANES = {
  sidebar: { edge: 'end', range: [13, 26] },
  thread: { edge: 'start', range: [20, 44] },
} as const

/** The edge of a pane, with which people choose its width. The pane has the style of `usePaneWidth`, and a position. */
export default function PaneEdge({ name }: { name: keyof PaneWidths }) {
  const [widths, setWidths] = useDevicePreference('paneWidths')
  const label = name === 'sidebar' ? i18n._('Width of the sidebar') : i18n._('Width of the thread')
  return (
    <ResizeHandle
      label={label}
      {...PANES[name]}
      onResize={(width) => setWidths({ ...widths, [name]: width })}
    />
  )
}
