import { i18n } from '@lingui/core'
import { canCreateChannels } from '../../data/workspaces/workspacePermissions.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { Button } from '../../ui/Button.tsx'
import styles from './Landing.module.css'

/** Suggestions for a reader without conversations. */
export default function EmptyWorkspace() {
  const me = useMe()
  const open = useOverlay()
  return (
    <div className={styles.landing}>
      <h1 className={styles.title}>{i18n._('Nothing here yet')}</h1>
      {me.role === 'guest' ? (
        <p>{i18n._('You’re not in any channels yet. Ask whoever invited you to add you.')}</p>
      ) : (
        <>
          <p>
            {canCreateChannels(me)
              ? i18n._('Join an existing channel, or create the first one.')
              : i18n._('Join an existing channel.')}
          </p>
          <div className={styles.actions}>
            <Button onClick={() => open({ kind: 'browse-channels' })}>{i18n._('Browse channels')}</Button>
            {canCreateChannels(me) ? (
              <Button variant="primary" onClick={() => open({ kind: 'create-channel' })}>
                {i18n._('Create a channel')}
              </Button>
            ) : null}
          </div>
        </>
      )}
    </div>
  )
}
