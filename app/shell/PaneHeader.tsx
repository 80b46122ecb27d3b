import { i18n } from '@lingui/core'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import { Suspense, useEffect, useRef, type ReactNode } from 'react'
import { pathTo } from '../paths.ts'
import { Link } from '../ui/Link.tsx'
import { Icon } from '../ui/Icon.tsx'
import { lazyComponent } from '../ui/lazyComponent.tsx'
import { PHONE, useMedia } from '../ui/useMedia.ts'
import styles from './PaneHeader.module.css'
import { navigateUp } from './navigation/navigateUp.ts'
import { takeComposerFocus } from './navigation/composerFocus.ts'

const BackCount = lazyComponent(() => import('./phone/BackCount.tsx'))

interface Props {
  title: ReactNode
  /** Shown beside the title. */
  aside?: ReactNode
  /** At the end of the header. */
  children?: ReactNode
  /** Where "Back" leads; default: to the list of conversations. Null: a page of the tabs of a phone, which has none. */
  back?: string | null | undefined
  /** The media query of the windows that have the button "Back"; default: phones. */
  backWithin?: string | undefined
}

/**
 * Header of a pane. Its heading takes the focus when the pane opens, so that screen readers start there; if the
 * composer had the focus before, it gets it again.
 */
export function PaneHeader({ title, aside, children, back = pathTo('home'), backWithin = PHONE }: Props) {
  const isWithin = useMedia(backWithin)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const next = takeComposerFocus() ?? heading.current
    // What the reader has chosen in the pane meanwhile keeps the focus.
    if (!heading.current?.closest('section')?.contains(document.activeElement))
      next?.focus({ preventScroll: true })
  }, [])
  return (
    <header className={styles.header}>
      {isWithin && back !== null ? (
        <Link
          href={back}
          className={styles.back}
          data-back
          onClick={(event) => {
            event.preventDefault()
            navigateUp(back)
          }}
        >
          <Icon of={ChevronLeft} size={20} />
          <span className="visually-hidden">{i18n._('Back')}</span>
          <Suspense>
            <BackCount />
          </Suspense>
        </Link>
      ) : null}
      <h1 ref={heading} tabIndex={-1} className={styles.title}>
        {title}
      </h1>
      {aside ? <span className={styles.aside}>{aside}</span> : null}
      <span className={styles.spacer} />
      {children}
    </header>
  )
}
