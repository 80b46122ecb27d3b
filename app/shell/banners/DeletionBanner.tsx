import { i18n } from '@lingui/core'
import Trash2 from 'lucide-react/icons/trash-2'
import { Link } from '../../ui/Link.tsx'
import { pathTo } from '../../paths.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { formatDate } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Banner.module.css'

/** Shown to everyone while the workspace waits for its deletion. */
export default function DeletionBanner({ at }: { at: string }) {
  const { role } = useMe()
  return (
    <p className={styles.banner} role="status">
      <Icon of={Trash2} />
      <span>
        {i18n._('This workspace and everything in it will be deleted on {date}.', { date: formatDate(at) })}{' '}
        <Link href={pathTo('exportSettings')}>{i18n._('Export your data')}</Link>
        {role === 'owner' ? (
          <>
            {' · '}
            <Link href={pathTo('permissionSettings')}>{i18n._('Cancel deletion')}</Link>
          </>
        ) : null}
      </span>
    </p>
  )
}
