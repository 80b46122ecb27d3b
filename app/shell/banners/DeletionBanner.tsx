import { i18n } from '@lingui/core'
import Clock from 'lucide-react/icons/clock'
import Trash2 from 'lucide-react/icons/trash-2'
import { cancelAccountDeletion } from '../../data/account/accountDeletion.ts'
import { Link } from '../../ui/Link.tsx'
import { pathTo } from '../../paths.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { Button } from '../../ui/Button.tsx'
import { formatDate, formatDayAndTime } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { useToast } from '../../ui/toast.ts'
import { useAction } from '../../ui/useAction.ts'
import { useMinute } from '../../ui/useMinute.ts'
import styles from './Banner.module.css'

/** The end of a guest's access is shown this many milliseconds before. The settings show it always. */
const SHOWN_BEFORE_MS = 3 * 86_400_000

/** Shown while the workspace or the account waits for its deletion, and before the access of a guest ends. */
export default function DeletionBanner() {
  const { role, workspace, deletes_at: accountEnds, expires_at: accessEnds } = useMe()
  const now = useMinute().getTime()
  return (
    <>
      {workspace.deletes_at ? (
        <p className={styles.banner} role="status">
          <Icon of={Trash2} />
          <span>
            {i18n._('This workspace and everything in it will be deleted on {date}.', {
              date: formatDate(workspace.deletes_at),
            })}{' '}
            <Link href={pathTo('exportSettings')}>{i18n._('Export your data')}</Link>
            {role === 'owner' ? (
              <>
                {' · '}
                <Link href={pathTo('permissionSettings')}>{i18n._('Cancel deletion')}</Link>
              </>
            ) : null}
          </span>
        </p>
      ) : null}
      {accountEnds ? <AccountDeletionBanner at={accountEnds} /> : null}
      {accessEnds && Date.parse(accessEnds) - now < SHOWN_BEFORE_MS ? (
        <p className={styles.banner} role="status">
          <Icon of={Clock} />
          <span>
            {i18n._('You have access to this workspace until {time}. If you need it longer, ask an admin.', {
              time: formatDayAndTime(accessEnds),
            })}
          </span>
        </p>
      ) : null}
    </>
  )
}

function AccountDeletionBanner({ at }: { at: string }) {
  const action = useAction()
  const showToast = useToast()
  const keep = async () => {
    if (await action.run(cancelAccountDeletion)) showToast({ text: i18n._('Your account won’t be deleted.') })
  }
  return (
    <div className={styles.banner} role="status">
      <Icon of={Trash2} />
      <span>
        {action.failure ?? i18n._('Your account will be deleted: {time}.', { time: formatDayAndTime(at) })}
      </span>
      <Button busy={action.busy} onClick={() => void keep()}>
        {i18n._('Keep my account')}
      </Button>
    </div>
  )
}
