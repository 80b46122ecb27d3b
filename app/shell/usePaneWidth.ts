import type { CSSProperties } from 'react'
import { useDevicePreference } from '../data/hooks/useDevicePreference.ts'
import type { PaneWidths } from '../devicePreferences.ts'

/** The style of a pane with the width that was chosen on this device. `PaneEdge` is its edge. */
export function usePaneWidth(name: keyof PaneWidths): CSSProperties {
  const width = useDevicePreference('paneWidths')[0][name]
  return width === null ? {} : { width: `${width}rem` }
}
