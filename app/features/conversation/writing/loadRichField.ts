import type { FunctionComponent } from 'react'
import { readPreference } from '../../../devicePreferences.ts'
import { preloadLater } from '../../../ui/lazyComponent.tsx'
import type { MessageFieldProps } from './MessageFieldProps.ts'

interface RichFieldModule {
  RichField: FunctionComponent<MessageFieldProps>
  canEditRich: (body: string) => boolean
}

let loaded: RichFieldModule | null = null
let download: Promise<void> | null = null
const listeners = new Set<() => void>()

/** The rich field, once it is loaded. */
export function loadedRichField(): RichFieldModule | null {
  return loaded
}

/** Calls `listener` when the rich field is loaded. */
export function subscribeToRichField(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads the rich field. If that fails (offline), the next call loads it again. */
export function loadRichField(): Promise<void> {
  download ??= Promise.all([import('./rich/RichField.tsx'), import('./rich/canEditRich.ts')])
    .then(([{ default: RichField }, { canEditRich }]) => {
      loaded = { RichField, canEditRich }
      for (const listener of listeners) listener()
    })
    .catch(() => {
      download = null
    })
  return download
}

preloadLater(async () => {
  if (!readPreference('markdownSource')) await loadRichField()
})
