import { i18n } from '@lingui/core'
import type { ReactNode } from 'react'
import { pathTo } from '../../paths.ts'
import { navigate } from '../../historyState.ts'
import { Button } from '../../ui/Button.tsx'
import { PHONE, useMedia } from '../../ui/useMedia.ts'
import { PaneHeader } from '../../shell/PaneHeader.tsx'
import styles from './SettingsPane.module.css'

interface Props {
  title: string
  /** Where the way back leads; default: all settings. */
  back?: { path: string; label: string } | undefined
  children: ReactNode
}

/** A pane of the settings: its heading, the way back, and one column. */
export function PaneFrame({ title, back, children }: Props) {
  const path = back?.path ?? pathTo('workspaceSettings')
  const isPhone = useMedia(PHONE)
  return (
    <section className={styles.settings} aria-label={title}>
      <PaneHeader title={title} back={path}>
        {isPhone ? null : (
          <Button variant="quiet" onClick={() => navigate(path)}>
            {back?.label ?? i18n._('All settings')}
          </Button>
        )}
      </PaneHeader>
      <div className={styles.scroller}>
        <div className={styles.column}>{children}</div>
      </div>
    </section>
  )
}
