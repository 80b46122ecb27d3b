import type { ReactNode } from 'react'
import { pathTo } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { cx } from '../../ui/cx.ts'
import { usePage } from '../../ui/pageAddress.ts'
import { NARROW } from '../../ui/useMedia.ts'
import styles from './SettingsPane.module.css'
import { SETTINGS } from './settingsRoutes.ts'

interface Props {
  /** Default: the title in `settingsRoutes.ts`. */
  title?: string | undefined
  /** What the page is for, in a sentence or two. */
  hint?: string | undefined
  /** Where "Back" leads; default: the list of settings. */
  back?: string
  /** The media query of the windows that have the button "Back"; default: those without the links beside the page. */
  backWithin?: string
  /** The main action of the page. */
  action?: ReactNode
  /** What stays visible below the content while it scrolls. */
  bottom?: ReactNode
  /** Whether the page has a table, which uses the whole width. */
  isWide?: boolean
  /** Identifies the list of the page for its scroll position, and whether it is loaded. */
  list?: string
  isReady?: boolean
  children: ReactNode
}

/** A page of the settings: its heading, its main action, the way back in a narrow window, and its content. */
export function PaneFrame({
  title,
  hint,
  back = pathTo('settings'),
  backWithin = NARROW,
  action,
  bottom,
  isWide,
  list,
  isReady,
  children,
}: Props) {
  const page = usePage()
  const name = title ?? SETTINGS.find((route) => route.name === page?.name)?.title() ?? ''
  return (
    <div className={styles.frame}>
      <ListPage
        title={name}
        back={back}
        backWithin={backWithin}
        buttons={action}
        list={list ?? name}
        isReady={isReady ?? true}
        className={styles.scroller}
      >
        <div className={cx(styles.column, isWide && styles.wide)}>
          {hint ? <p className={styles.hint}>{hint}</p> : null}
          {children}
        </div>
      </ListPage>
      {bottom}
    </div>
  )
}
