import { i18n } from '@lingui/core'
import { Suspense, type ReactNode } from 'react'
import type { PageName } from '../../paths.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { NARROW, useMedia } from '../../ui/useMedia.ts'
import styles from './SettingsFrame.module.css'
import { SettingsLinks } from './SettingsLinks.tsx'
import { SETTINGS } from './settingsRoutes.ts'

interface Props {
  page: PageName
  children: ReactNode
}

/** The frame of a page of the settings: the links to all pages stand beside it where there is enough width. */
export default function SettingsFrame({ page, children }: Props) {
  const isNarrow = useMedia(NARROW)
  return (
    <div className={styles.frame}>
      {isNarrow ? null : (
        <div className={styles.column}>
          <p className={styles.title}>{i18n._('Settings')}</p>
          <SettingsLinks page={page} />
        </div>
      )}
      {/* With a key: without it, React hides the page before instead of removing it, and on the way back its heading gets no focus. */}
      <Suspense
        key={page}
        fallback={
          // The heading of the loaded page takes the focus.
          <div className={styles.loading}>
            <h1 className={styles.title}>{SETTINGS.find((route) => route.name === page)?.title()}</h1>
            <Skeleton label={i18n._('Loading…')} shape="lines" />
          </div>
        }
      >
        {children}
      </Suspense>
    </div>
  )
}
