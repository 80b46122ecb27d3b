import type { ReactNode } from 'react'
import { cx } from '../ui/cx.ts'
import { moveInList } from '../ui/moveInList.ts'
import { NARROW, useMedia } from '../ui/useMedia.ts'
import { useScrollRestoration } from '../ui/useScrollRestoration.ts'
import { usePageTitle } from './SetPageTitleContext.ts'
import styles from './ListPage.module.css'
import paneStyles from './Pane.module.css'
import { PaneHeader } from './PaneHeader.tsx'

interface Props {
  title: string
  /** Identifies the content: with another one, the heading takes the focus again. */
  id?: string | null
  /** Shown beside the title. */
  aside?: ReactNode
  /** Icon buttons at the end of the header. */
  actions?: ReactNode
  /** Buttons with labels at the end of the header, in a narrow window below it. */
  buttons?: ReactNode
  /** As of `PaneHeader`. */
  back?: string | null
  backWithin?: string
  /** Filters above the list, which stay while it scrolls. */
  top?: ReactNode
  /** Identifies the list for its scroll position: it starts at the top with another value. */
  list?: string
  /** Whether enough is rendered to scroll to the position that the list had before. */
  isReady?: boolean
  /** Whether the list has columns, so that it uses more of a wide window than a text. */
  isWide?: boolean
  /** The class of the part that scrolls; default: a centred column as wide as the messages. */
  className?: string | undefined
  children: ReactNode
}

/**
 * A page with a header above a list, or other content that scrolls. The browser's tab has its title. Its scroll position is restored when the reader goes
 * back to it. The keys of `moveInList` move between items with `data-entry`.
 */
export function ListPage({
  title,
  id,
  aside,
  actions,
  buttons,
  back,
  backWithin,
  top,
  list = title,
  isReady = true,
  isWide = false,
  className = styles.scroller,
  children,
}: Props) {
  const isNarrow = useMedia(NARROW)
  usePageTitle(title)
  const scroller = useScrollRestoration(list, isReady)
  return (
    <section className={cx(paneStyles.pane, isWide && styles.wide)} aria-label={title} onKeyDown={moveInList}>
      <PaneHeader key={id} title={title} aside={aside} back={back} backWithin={backWithin}>
        {isNarrow ? null : buttons}
        {actions}
      </PaneHeader>
      {top || (isNarrow && buttons) ? (
        <div className={styles.top}>
          {top}
          {isNarrow && buttons ? <div className={styles.buttons}>{buttons}</div> : null}
        </div>
      ) : null}
      <div ref={scroller} className={className}>
        {children}
      </div>
    </section>
  )
}
