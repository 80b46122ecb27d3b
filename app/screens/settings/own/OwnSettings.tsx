import { i18n } from '@lingui/core'
import { Suspense, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { Link } from '../../../ui/Link.tsx'
import { cx } from '../../../ui/cx.ts'
import { usePage } from '../../../ui/pageAddress.ts'
import { PaneHeader } from '../../../shell/PaneHeader.tsx'
import { IsNestedContext } from '../SettingsSection.tsx'
import settings from '../SettingsPane.module.css'
import styles from './OwnSettings.module.css'
import { SETTINGS, type SettingsRoute } from '../settingsRoutes.ts'
import { SECTIONS } from './sections.ts'

const OWN_SETTINGS = SETTINGS.filter((route) => !route.isWorkspaceSettings)

/** Distance from the top, in pixels, at which a section is the current one. */
const CURRENT_WITHIN = 80

/** Height in pixels of the line above a section with the space below it, which scrolls out of view. */
const DIVIDER = 8

/** What shows that the reader scrolls or uses the page, so that it must not be scrolled any more. */
const USES = ['wheel', 'touchmove', 'pointerdown', 'keydown', 'focusin'] as const

/** Scrolls the page to a section, the first one together with the space above it. */
function scrollTo(section: HTMLElement): void {
  // Null while the page is closed.
  const scroller = section.offsetParent
  if (scroller) scroller.scrollTop = section.previousElementSibling ? section.offsetTop + DIVIDER : 0
}

/** The user's own settings on one page; the path decides at which section it opens. */
export default function OwnSettings() {
  const page = usePage()
  const opened = OWN_SETTINGS.find(({ name }) => name === page?.name) ?? OWN_SETTINGS[0]!
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const column = useRef<HTMLDivElement>(null)
  const contents = useRef<HTMLElement>(null)
  /** The section that stays at the top while what is above it loads. */
  const pinned = useRef<HTMLElement>(null)
  const hasOpened = useRef(false)
  /** The section that the reader has scrolled to since the page was opened at another one. */
  const [reached, setReached] = useState({ opened, path: opened.path })
  const current = reached.opened === opened ? reached.path : opened.path

  const reveal = (section: SettingsRoute) => {
    const element = column.current!.children[OWN_SETTINGS.indexOf(section)] as HTMLElement
    element.querySelector('h2')!.focus({ preventScroll: true })
    pinned.current = element
    scrollTo(element)
  }
  const open = useEffectEvent((section: SettingsRoute) => {
    // A page that opens at its start is announced by its own heading.
    if (section !== OWN_SETTINGS[0] || hasOpened.current) reveal(section)
    hasOpened.current = true
  })
  useEffect(() => open(opened), [opened])
  useEffect(() => {
    const element = scroller.current!
    const release = () => (pinned.current = null)
    const observer = new ResizeObserver(() => pinned.current && scrollTo(pinned.current))
    observer.observe(column.current!)
    for (const use of USES) element.addEventListener(use, release, { passive: true })
    return () => {
      observer.disconnect()
      for (const use of USES) element.removeEventListener(use, release)
    }
  }, [])
  const onScroll = () => {
    // A scroll event can arrive after the page was closed.
    if (pinned.current || !scroller.current) return
    const { scrollTop, scrollHeight, clientHeight } = scroller.current
    const isAtEnd = scrollTop + clientHeight >= scrollHeight - 1
    const tops = Array.from(column.current!.children, (child) => (child as HTMLElement).offsetTop)
    const at = isAtEnd ? -1 : tops.findLastIndex((top) => top <= scrollTop + CURRENT_WITHIN)
    setReached({ opened, path: OWN_SETTINGS.at(at)!.path })
  }
  useEffect(() => {
    const link = contents.current?.querySelector(`[href="${current}"]`)
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])

  return (
    <section className={cx(settings.settings, styles.settings)} aria-label={i18n._('Settings')}>
      <PaneHeader title={i18n._('Settings')} />
      <div className={styles.page}>
        <nav ref={contents} className={styles.contents} aria-label={i18n._('On this page')}>
          {OWN_SETTINGS.map((section) => (
            <Link
              key={section.path}
              href={section.path}
              replace
              className={styles.link}
              aria-current={section.path === current ? 'location' : undefined}
              onClick={() => {
                setReached({ opened, path: section.path })
                reveal(section)
              }}
            >
              {section.title()}
            </Link>
          ))}
        </nav>
        <div ref={scroller} className={styles.scroller} onScroll={onScroll}>
          <div ref={column} className={settings.column}>
            <IsNestedContext value>
              {OWN_SETTINGS.map(({ name, title }) => {
                const { hint, Component } = SECTIONS[name]!
                return (
                  <section key={name} className={styles.section} aria-labelledby={`${id}${name}`}>
                    <div>
                      <h2 id={`${id}${name}`} tabIndex={-1} className={styles.title}>
                        {title()}
                      </h2>
                      {hint ? <p className={settings.small}>{hint()}</p> : null}
                    </div>
                    <Suspense>
                      <Component />
                    </Suspense>
                  </section>
                )
              })}
            </IsNestedContext>
          </div>
        </div>
      </div>
    </section>
  )
}
