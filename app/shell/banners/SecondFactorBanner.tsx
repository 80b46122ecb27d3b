import { i18n } from '@lingui/core'
import ShieldCheck from 'lucide-react/icons/shield-check'
import type { PausedWorkspace } from '../../../wire/people.ts'
import { isolateBidi } from '../../data/people/isolateBidi.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { pathTo } from '../../paths.ts'
import { formatDate } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Link } from '../../ui/Link.tsx'
import styles from './Banner.module.css'

/** Shown to a person without a second factor while this workspace will require one, or another one does. */
export default function SecondFactorBanner({ paused }: { paused: readonly PausedWorkspace[] }) {
  const { workspace } = useMe()
  const [other] = paused
  return (
    <p className={styles.banner} role="status">
      <Icon of={ShieldCheck} />
      <span>
        {workspace.second_factor_from
          ? i18n._('From {date}, you need two-factor authentication to open this workspace.', {
              date: formatDate(workspace.second_factor_from),
            })
          : i18n._('You can open {name} again once you’ve set up two-factor authentication.', {
              name: isolateBidi(other?.name ?? ''),
            })}{' '}
        <Link href={pathTo('securitySettings')}>{i18n._('Set it up')}</Link>
      </span>
    </p>
  )
}
