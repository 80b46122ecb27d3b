import { i18n } from '@lingui/core'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { useId } from 'react'
import { useServerAttention } from '../../data/administration/attention.ts'
import { useHasServerSettings } from '../../data/administration/health.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { PATHS, type PageName } from '../../paths.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Link } from '../../ui/Link.tsx'
import styles from './SettingsFrame.module.css'
import { SETTINGS, type SettingsRoute } from './settingsRoutes.ts'

/** Links to the pages of the settings that the user may open, with a mark on the current one. */
export function SettingsLinks({ page }: { page: PageName }) {
  return (
    <nav className={styles.nav} aria-label={i18n._('Settings')}>
      <Group page={page} group="own" title={i18n._('Your account')} />
      <Group page={page} group="workspace" title={i18n._('Workspace')} />
    </nav>
  )
}

interface Props {
  page: PageName
  group: SettingsRoute['group']
  title: string
}

function Group({ page, group, title }: Props) {
  const me = useMe()
  const needsAttention = useServerAttention(me.role === 'owner')
  const hasServer = useHasServerSettings(me.role === 'owner')
  const id = useId()
  const routes = SETTINGS.filter(
    (route) => route.group === group && route.isFor(me) && (route.name !== 'serverSettings' || hasServer),
  )
  if (routes.length === 0) return null
  return (
    <div>
      <p id={id} className={styles.group}>
        {title}
      </p>
      <ul aria-labelledby={id}>
        {routes.map(({ name, path, title: pageTitle }) => {
          const current = name === page ? 'page' : PATHS[page].startsWith(`${path}/`)
          return (
            <li key={name}>
              <Link
                ref={current ? reveal : undefined}
                href={path}
                className={styles.link}
                aria-current={current || undefined}
              >
                <span className={styles.name}>{pageTitle()}</span>
                {name === 'serverHealth' && needsAttention ? (
                  <span className={styles.attention}>
                    <span className="visually-hidden">{i18n._('Needs attention')}</span>
                  </span>
                ) : null}
                <Icon of={ChevronRight} />
              </Link>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function reveal(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest' })
}
